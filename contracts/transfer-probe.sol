// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Never deployed: its code replaces the payment contract's in a simulated call, to see how much of a token would arrive
/// there.
contract TransferProbe {
    function arrives(address token, uint256 amount) external returns (uint256) {
        uint256 before = IERC20(token).balanceOf(address(this));
        SafeERC20.safeTransferFrom(IERC20(token), msg.sender, address(this), amount);
        return IERC20(token).balanceOf(address(this)) - before;
    }
}
