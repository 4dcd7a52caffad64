-- Asks `gxe lsp` through Neovim's client about the open file, prints the answers and quits.
local id = vim.lsp.start_client({ name = 'gxe', cmd = { vim.env.GXE, 'lsp' }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, id)

local function say(what, text)
  io.stderr:write(what .. ': ' .. text:gsub('\n.*', '') .. '\n')
end

local function ask(method, line, column)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(0) },
    position = { line = line, character = column },
  }
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000) or {}
  for _, answer in pairs(answers) do
    return answer.result
  end
end

vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 20)
local last = vim.api.nvim_buf_line_count(0) - 1
local completion = ask('textDocument/completion', last, #vim.api.nvim_buf_get_lines(0, last, last + 1, true)[1])
for _, item in ipairs(completion and completion.items or {}) do
  say('completion', item.label)
end
local hover = ask('textDocument/hover', 10, 20)
say('hover', hover and hover.contents.value or 'none')
for _, finding in ipairs(vim.diagnostic.get(0)) do
  say('finding', finding.message)
end
vim.cmd('qall!')
