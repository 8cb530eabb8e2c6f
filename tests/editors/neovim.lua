-- Opens the file named in $KERNLINT_FILE, waits for kernlint's diagnostics, applies the padding action, writes the file.
local file = vim.env.KERNLINT_FILE
local function say(text) io.stdout:write(text .. "\n") end
vim.cmd("edit " .. file)
local buffer = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({ name = "kernlint", cmd = { "kernlint", "server" }, root_dir = vim.fn.fnamemodify(file, ":h") })
vim.lsp.buf_attach_client(buffer, client)
local function conflicts()
  return vim.tbl_filter(function(d) return d.code == "KL101" end, vim.diagnostic.get(buffer))
end
if not vim.wait(60000, function() return #vim.diagnostic.get(buffer) > 0 end, 100) then say("no diagnostics came") vim.cmd("cquit") end
for _, d in ipairs(vim.diagnostic.get(buffer)) do
  say(string.format("diagnostic %s at %d:%d: %s", d.code, d.lnum + 1, d.col + 1, vim.split(d.message, "\n")[1]))
end
local found = conflicts()[1]
local params = {
  textDocument = vim.lsp.util.make_text_document_params(buffer),
  range = { start = { line = found.lnum, character = found.col }, ["end"] = { line = found.lnum, character = found.col } },
  context = { diagnostics = {} },
}
local answers = vim.lsp.buf_request_sync(buffer, "textDocument/codeAction", params, 10000)
for _, action in ipairs(answers[client].result) do
  say("action " .. action.title)
  if vim.startswith(action.title, "Pad ") then vim.lsp.util.apply_workspace_edit(action.edit, "utf-16") end
end
if not vim.wait(60000, function() return #conflicts() == 0 end, 100) then say("the conflict is still there") vim.cmd("cquit") end
vim.cmd("write")
say("left " .. #vim.diagnostic.get(buffer))
vim.cmd("qall!")
