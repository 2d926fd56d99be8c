// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// The largest `s`: the other half of its values would make a second signature of each.
uint256 constant MAX_S = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

// Returns the account that signed a digest; the zero address for anything but a signature.
function recover(bytes32 digest, bytes memory signature) pure returns (address) {
    if (signature.length != 65) return address(0);
    bytes32 r;
    bytes32 s;
    uint8 v;
    assembly ("memory-safe") {
        r := mload(add(signature, 0x20))
        s := mload(add(signature, 0x40))
        v := byte(0, mload(add(signature, 0x60)))
    }
    return uint256(s) > MAX_S ? address(0) : ecrecover(digest, v, r, s);
}
