# What CommonJS code does with require and module besides requiring.
program: main.cjs
-- main.cjs --
const lib = require("./lib.js");
const { delayed } = require("./delayed.js");
console.log(lib.list, delayed(), typeof require.resolve.paths, require("./data").x, lib === require("./lib.js"));
console.log(Object.keys(require("./umd.js")), (0, eval)("typeof require"));
-- lib.js --
const alias = require;
const name = "./" + "delayed.js";
exports.list = [typeof alias, typeof alias.resolve, require(name) === require("./delayed.js"), require.resolve("./data.json").split("/").pop()];
-- delayed.js --
exports.delayed = () => require("./late.js").late;
-- late.js --
exports.late = "late";
-- data.json --
{"x": 7}
-- umd.js --
(function (root, factory) {
  if (typeof define === "function" && define.amd) define([], factory);
  else if (typeof module === "object" && module.exports) module.exports = factory(typeof require === "function" && require);
  else root.umd = factory();
})(this, function (require) { return { umd: require && require("path").sep }; });
