// SPDX-License-Identifier: MIT
// An extension in TypeScript, which Pi loads as it is: a flag, and a tool for the model.
import { defineTool, type ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { Type } from "typebox";

const parameters = Type.Object({
  version: Type.String({ description: "The version that the entry is for" }),
  change: Type.String({ description: "What changed, one sentence" }),
});

const changelogEntry = defineTool({
  name: "changelog_entry",
  label: "Changelog entry",
  description: "Formats one entry of a changelog",
  parameters,
  async execute(_id, { version, change }) {
    return { content: [{ type: "text", text: `- ${version}: ${change}` }], details: { version } };
  },
});

export default function (pi: ExtensionAPI) {
  pi.registerFlag("changelog", {
    description: "Offer the changelog_entry tool to the model",
    type: "boolean",
    default: false,
  });
  pi.on("session_start", () => {
    if (pi.getFlag("changelog")) pi.registerTool(changelogEntry);
  });
}
