// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Names with their addresses. `offchain.eth` is of a resolver that sends callers to a server (ERC-3668).
contract EnsResolver {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);

    mapping(bytes32 => address) private _addresses;
    bytes32 private immutable _offchain;

    constructor(bytes32 offchain) {
        _offchain = offchain;
    }

    function setAddr(bytes32 node, address to) external {
        _addresses[node] = to;
    }

    function addr(bytes32 node) external view returns (address) {
        if (node == _offchain) {
            string[] memory urls = new string[](1);
            urls[0] = "https://names.example/{sender}/{data}.json";
            revert OffchainLookup(address(this), urls, msg.data, this.addr.selector, "");
        }
        return _addresses[node];
    }
}

/// Which resolver has a name.
contract EnsRegistry {
    mapping(bytes32 => address) public resolver;

    function setResolver(bytes32 node, address newResolver) external {
        resolver[node] = newResolver;
    }
}

/// Finds the resolver of a name, and calls it, as the Universal Resolver of ENS does for names that have one of their own.
contract UniversalResolver {
    error ResolverNotFound(bytes name);
    error ResolverError(bytes errorData);

    EnsRegistry private immutable _registry;

    constructor(EnsRegistry registry) {
        _registry = registry;
    }

    function resolve(bytes calldata name, bytes calldata data) external view returns (bytes memory, address) {
        bytes32 node = hashName(name, 0);
        address resolver = _registry.resolver(node);
        if (resolver == address(0)) revert ResolverNotFound(name);
        // The name and its hash in the call are of one name.
        if (bytes32(data[4:36]) != node) revert ResolverError(data);
        (bool succeeded, bytes memory result) = resolver.staticcall(data);
        if (!succeeded) {
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
        return (result, resolver);
    }

    /// The namehash (ERC-137) of a name in DNS wire format.
    function hashName(bytes calldata name, uint256 start) private pure returns (bytes32) {
        uint256 length = uint8(name[start]);
        if (length == 0) return 0;
        uint256 end = start + 1 + length;
        return keccak256(abi.encodePacked(hashName(name, end), keccak256(name[start + 1:end])));
    }
}
