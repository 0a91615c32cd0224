# JSON as a module with an attribute, required, and read.
program: main.mjs
-- main.mjs --
import { readFileSync } from "node:fs";
import data from "./data.json" with { type: "json" };
import other from "./other.cjs";
console.log(data.list, other === data, other.list, readFileSync(new URL("data.json", import.meta.url), "utf8").length);
-- data.json --
{"list": [1, 2], "default": 3}
-- other.cjs --
module.exports = require("./data.json");
