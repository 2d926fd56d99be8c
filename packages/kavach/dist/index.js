module.exports = require("keeplight/compat/kavach");
