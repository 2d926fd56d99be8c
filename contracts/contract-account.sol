// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {recover} from "./recover.sol";

/// An account without a key: its signatures (ERC-1271) are those of its owner, whatever follows them.
contract ContractAccount {
    address private immutable _owner;

    constructor(address owner) {
        _owner = owner;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return recover(hash, signature[:65]) == _owner ? this.isValidSignature.selector : bytes4(0);
    }
}
