# SPDX-License-Identifier: MIT
# Pi from the registry behaves the same bundled and unbundled: what it prints, and what it writes.
start
source "$SOURCE/tests/e2e/registry.bash"
cp -R "$SOURCE/examples/personal" "$SCRATCH/source"
build=$SCRATCH/build

# Of the application's own classes an extension gets those that the application uses.
cat > "$SCRATCH/typescript.ts" <<'END'
import * as pi from "@mariozechner/pi-coding-agent";
import * as tui from "@mariozechner/pi-tui";
import * as ai from "@mariozechner/pi-ai";
import { Type } from "typebox";
import { Value } from "typebox/value";
export default function (api: any) {
  api.on("session_start", async (_event: any, context: any) => {
    const schema = Type.Object({ a: Type.String() });
    // 2,400 pixels wide, so it is made smaller, by WebAssembly.
    const read = await pi.createReadTool("/").execute("id", { path: process.env.IMAGE! });
    pi.initTheme("light");
    const light = pi.getMarkdownTheme().heading("x");
    pi.initTheme("dark");
    console.error("same classes", context.sessionManager instanceof pi.SessionManager,
      context.modelRegistry instanceof pi.ModelRegistry, context.modelRegistry.authStorage instanceof pi.AuthStorage);
    console.error("names", Object.keys(pi).join(), Object.keys(tui).join(), Object.keys(ai).join());
    console.error("typebox", Value.Check(schema, { a: "x" }), Value.Check(schema, { a: 1 }));
    console.error("models", context.modelRegistry.getAll().length, ai.getProviders().join());
    console.error("image", JSON.stringify(read));
    console.error("themes", JSON.stringify([light, pi.getMarkdownTheme().heading("x")]));
  });
}
END
cat > "$SCRATCH/commonjs.js" <<'END'
const tui = require("@mariozechner/pi-tui");
const pi = require("@mariozechner/pi-coding-agent");
module.exports = function (api) {
  api.registerCommand("from-commonjs", { description: "x", handler: async () => {} });
  api.on("session_start", async (_event, context) => {
    console.error("names", Object.keys(tui).sort().join(), Object.keys(pi).sort().join());
    if (process.env.EXPECT_SAME) console.error("same classes", context.sessionManager instanceof pi.SessionManager);
  });
};
END
base64 -d > "$SCRATCH/wide.png" <<'END'
iVBORw0KGgoAAAANSUhEUgAACWAAAAACCAIAAABTi3C7AAAALUlEQVR42u3QAQ0AAAgDoGcyk2GNZZCzkYDcDgAAAAAAAFAiCgAAAAAAAKDHA2qJo/h+987OAAAAAElFTkSuQmCC
END
cat > "$SCRATCH/session.jsonl" <<'END'
{"type":"session","version":3,"id":"11111111-1111-4111-8111-111111111111","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/"}
{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"Say **hello** in `js`"}],"timestamp":1735689601000}}
{"type":"message","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"```js\nconsole.log('hello');\n```"}],"api":"x","provider":"y","model":"z","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1735689602000}}
END

# pi <name> <argument...>: what it prints goes to $seen/<name>; identifiers differ from start to start.
pi() {
  local name=$1 status=0
  shift
  (cd "$SCRATCH/user" && env -i "HOME=$SCRATCH/user" "TMPDIR=$seen/tmp" "PISHIP_STATE_HOME=$PISHIP_STATE_HOME" PI_OFFLINE=1 OPENAI_API_KEY=none \
    "IMAGE=$SCRATCH/wide.png" "EXPECT_SAME=${expect_same:-}" timeout 300 "$PISHIP_BIN_HOME/mypi" "$@") > "$seen/$name.raw" 2>&1 || status=$?
  { sed -E 's/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/UUID/g' "$seen/$name.raw"; echo "status $status"; } > "$seen/$name"
  rm "$seen/$name.raw"
}

# observe <directory>: installs the release, and writes down what it does.
observe() {
  seen=$1
  rm -rf "$SCRATCH/user" "$SCRATCH/home"
  mkdir -p "$seen/tmp" "$SCRATCH/user"
  piship install --quiet "$(archive_of "$build")"
  pi version --version < /dev/null
  pi help --help < /dev/null
  pi models --list-models < /dev/null
  pi list list < /dev/null
  pi export --export "$SCRATCH/session.jsonl" "$SCRATCH/user/session.html" < /dev/null
  mv "$SCRATCH/user/session.html" "$seen/session.html"
  pi rpc --mode rpc --no-session <<< '{"type":"get_state"}
{"type":"get_commands"}'
  pi typescript --mode rpc --no-session --extension "$SCRATCH/typescript.ts" <<< '{"type":"get_state"}'
  pi commonjs --mode rpc --no-session --extension "$SCRATCH/commonjs.js" <<< '{"type":"get_commands"}'
  rm -rf "$seen/tmp"
}

configure "$SCRATCH/source" "$build" -DPISHIP_BUNDLE=OFF
build "$build"
observe "$SCRATCH/plain"
tar --zstd -tf "$(archive_of "$build")" | grep -c '^app/' > "$SCRATCH/plain-files"
grep -qx "same classes true true true" "$SCRATCH/plain/typescript" || { cat "$SCRATCH/plain/typescript"; fail "the extension in TypeScript"; }
grep -q 'displayed at 2000x' "$SCRATCH/plain/typescript" || { cat "$SCRATCH/plain/typescript"; fail "the image was not made smaller"; }
grep -q "from-commonjs" "$SCRATCH/plain/commonjs" || { cat "$SCRATCH/plain/commonjs"; fail "the extension in CommonJS"; }
grep -q '"command":"get_state","success":true' "$SCRATCH/plain/rpc" || { cat "$SCRATCH/plain/rpc"; fail "get_state"; }
grep -q "hljs" "$SCRATCH/plain/session.html" || fail "the exported session has no scripts"

configure "$SCRATCH/source" "$build" -DPISHIP_BUNDLE=ON
build "$build"
expect_no_work "$build"
observe "$SCRATCH/bundled"
diff -r "$SCRATCH/plain" "$SCRATCH/bundled" || fail "bundled it behaves differently"
# Unbundled, an extension in CommonJS gets classes of its own, transpiled anew; bundled it gets the application's.
expect_same=1
seen=$SCRATCH
pi same --mode rpc --no-session --extension "$SCRATCH/commonjs.js" <<< '{"type":"get_commands"}'
grep -qx "same classes true" "$SCRATCH/same" || { cat "$SCRATCH/same"; fail "the classes of an extension in CommonJS"; }

files=$(tar --zstd -tf "$(archive_of "$build")" | grep -c '^app/')
echo "files of the application: $(cat "$SCRATCH/plain-files") unbundled, $files bundled"
[ "$files" -le 240 ] || fail "$files files are in the bundled application"

edited; echo '// edited' >> "$SCRATCH/source/resources/extensions/changelog.ts"
expect_edges "$build" "an extension changed" resources-extensions-0 assemble archive
edited; echo 'process.env.EDITED = "1";' >> "$SCRATCH/source/src/mypi.js"
expect_edges "$build" "the program changed" sources bundle assemble archive
