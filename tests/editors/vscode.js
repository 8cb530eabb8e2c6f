// Runs the extension's source with stand-ins for VS Code and its language client; prints what it did as JSON.
// node tests/editors/vscode.js editors/vscode/src/extension.js

const Module = require("module");
const path = require("path");

const told = { commands: [], started: [], stopped: 0, shown: [], passed: [] };
const failing = process.argv[3] === "failing";
let command = ["kernlint", "server"];
let changed, client;

const stands = {
  vscode: {
    Uri: { parse: (text) => text },
    commands: { registerCommand: (name) => told.commands.push(name), executeCommand: async (...words) => told.shown.push(words) },
    window: { showErrorMessage: async (text, button) => (told.shown.push([text]), button) },
    workspace: {
      getConfiguration: (section) => ({ get: (key) => (section === "kernlint" && key === "command" ? command : undefined) }),
      onDidChangeConfiguration: (listener) => { changed = listener; },
    },
  },
  "vscode-languageclient/node": {
    LanguageClient: class {
      constructor(id, name, server, options) { Object.assign(this, { server, options, running: false }); }
      async start() {
        if (failing) throw new Error("spawn kernlint ENOENT");
        this.running = true;
        told.started.push({ server: this.server, options: this.options });
        client = this;
      }
      isRunning() { return this.running; }
      async stop() { told.stopped += 1; }
    },
  },
};
const load = Module._load;
Module._load = (name, ...rest) => stands[name] || load(name, ...rest);

(async () => {
  const extension = require(path.resolve(process.argv[2]));
  await extension.activate({ subscriptions: [] });
  command = ["/venv/bin/kernlint", "server"];
  await changed({ affectsConfiguration: (name) => name === "editor.fontSize" });
  await changed({ affectsConfiguration: (name) => name === "kernlint.command" });
  if (!failing)
    for (const uri of ["file:///tmp/KL101.md", "file:///tmp/report.html"])
      await client.options.middleware.window.showDocument({ uri }, (params) => told.passed.push(params.uri));
  await extension.deactivate();
  console.log(JSON.stringify(told));
})();
