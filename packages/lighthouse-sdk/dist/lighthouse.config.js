module.exports = require("keeplight/compat/lighthouse/config");
