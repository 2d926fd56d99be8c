// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Accepts payments for storage in the tokens that its owner lists and in the chain's own coin. Like the contracts of the
/// public network it does not check how much of a token arrived: the payer has to.
contract PaymentContract is Ownable {
    using SafeERC20 for IERC20;

    event ReceivedPayment(
        address indexed sender,
        address indexed tokenAddress,
        uint256 txId,
        uint256 amount,
        uint256 timestamp,
        bytes data
    );

    error ENDOWMENT_TRANSFER_FAILED();
    error INSUFFICIENT_CONTRACT_BALANCE();
    error INSUFFICIENT_USER_BALANCE();
    error INVALID_ZERO_ADDRESS();
    error TOKEN_APPROVAL_FAILED();
    error TOKEN_NOT_SUPPORTED();
    error TOKEN_PAYMENT_FAILED();

    address public endowment;
    mapping(address token => bool supported) public tokenStatus;
    uint256 private _payments;

    constructor(address owner, address firstEndowment) Ownable(owner) {
        _setEndowment(firstEndowment);
    }

    receive() external payable {
        _received(address(0), msg.value, "");
    }

    fallback() external payable {
        _received(address(0), msg.value, msg.data);
    }

    function receiveToken(uint256 amount, address token) external {
        if (!tokenStatus[token]) revert TOKEN_NOT_SUPPORTED();
        if (IERC20(token).balanceOf(msg.sender) < amount) revert INSUFFICIENT_USER_BALANCE();
        if (IERC20(token).allowance(msg.sender, address(this)) < amount) revert TOKEN_APPROVAL_FAILED();
        if (!IERC20(token).trySafeTransferFrom(msg.sender, address(this), amount)) revert TOKEN_PAYMENT_FAILED();
        _received(token, amount, "");
    }

    function setEndowment(address newEndowment) external onlyOwner {
        _setEndowment(newEndowment);
    }

    function updateERC20Token(address token, bool supported) external onlyOwner {
        if (token == address(0)) revert INVALID_ZERO_ADDRESS();
        tokenStatus[token] = supported;
    }

    /// The zero address stands for the chain's own coin.
    function transferToEndowment(address token, uint256 amount) external onlyOwner {
        if (token == address(0)) {
            if (address(this).balance < amount) revert INSUFFICIENT_CONTRACT_BALANCE();
            (bool sent, ) = endowment.call{value: amount}("");
            if (!sent) revert ENDOWMENT_TRANSFER_FAILED();
        } else {
            if (IERC20(token).balanceOf(address(this)) < amount) revert INSUFFICIENT_CONTRACT_BALANCE();
            if (!IERC20(token).trySafeTransfer(endowment, amount)) revert ENDOWMENT_TRANSFER_FAILED();
        }
    }

    function getTokenStatus(address token) external view returns (bool) {
        return tokenStatus[token];
    }

    function getERC20Balance(address token) external view returns (uint256) {
        return IERC20(token).balanceOf(address(this));
    }

    function getNativeBalance() external view returns (uint256) {
        return address(this).balance;
    }

    function _setEndowment(address newEndowment) private {
        if (newEndowment == address(0)) revert INVALID_ZERO_ADDRESS();
        endowment = newEndowment;
    }

    function _received(address token, uint256 amount, bytes memory data) private {
        emit ReceivedPayment(msg.sender, token, ++_payments, amount, block.timestamp, data);
    }
}
