// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A well-behaved token that anyone may mint.
contract PlainToken is ERC20 {
    uint8 private immutable _decimals;

    constructor(string memory symbol, uint8 decimals_) ERC20(symbol, symbol) {
        _decimals = decimals_;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }
}

/// Keeps one percent of every transfer.
contract FeeToken is PlainToken {
    constructor() PlainToken("FEE", 6) {}

    function _update(address from, address to, uint256 value) internal override {
        if (from == address(0) || to == address(0)) return super._update(from, to, value);
        uint256 fee = value / 100;
        super._update(from, address(this), fee);
        super._update(from, to, value - fee);
    }
}

/// `transferFrom` returns true and transfers nothing. With `emitsEvent` it emits a `Transfer` event.
contract NoTransferToken is PlainToken {
    bool private immutable _emitsEvent;

    constructor(bool emitsEvent) PlainToken("NOTRANSFER", 6) {
        _emitsEvent = emitsEvent;
    }

    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        if (_emitsEvent) emit Transfer(from, to, amount);
        return true;
    }
}

/// Returns `false` where other tokens revert.
contract RefusingToken is PlainToken {
    constructor() PlainToken("NO", 6) {}

    function transferFrom(address, address, uint256) public pure override returns (bool) {
        return false;
    }
}
