// Starts the language server and talks to it; all that is shown comes from there.

const { Uri, commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["cuda-cpp", "cuda", "opencl"];
let client;

function serverOptions() {
  const [command, ...args] = workspace.getConfiguration("kernlint").get("command");
  return { command, args };
}

// A rule's page is shown as it is meant to be read; anything else as the client shows it.
async function showDocument(params, next) {
  if (!params.uri.endsWith(".md")) return next(params);
  await commands.executeCommand("markdown.showPreview", Uri.parse(params.uri));
  return { success: true };
}

// The server as the settings say; a message with the way out where it cannot be started.
async function start() {
  const documentSelector = LANGUAGES.flatMap((language) => ["file", "untitled"].map((scheme) => ({ scheme, language })));
  const middleware = { window: { showDocument } };
  client = new LanguageClient("kernlint", "kernlint", serverOptions(), { documentSelector, middleware });
  try {
    await client.start();
  } catch (error) {
    const open = "Open settings";
    const text = `kernlint cannot be started (${error.message}): install it with the extra "server", or say in kernlint.command how.`;
    if ((await window.showErrorMessage(text, open)) === open)
      await commands.executeCommand("workbench.action.openSettings", "kernlint.command");
  }
}

async function stop() {
  if (client && client.isRunning()) await client.stop();
  client = undefined;
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  context.subscriptions.push(
    commands.registerCommand("kernlint.restart", restart),
    workspace.onDidChangeConfiguration((change) => (change.affectsConfiguration("kernlint.command") ? restart() : undefined)),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
