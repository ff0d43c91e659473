-- Every method of `sigrel lsp`, asked by Neovim: nvim --headless -u NONE -c 'luafile neovim.lua'
-- The program is in $SIGREL. Prints what is wrong, and ends with 1 if anything is.
local folder = vim.fn.tempname()
vim.fn.mkdir(folder, 'p')
local file = folder .. '/model.sr'
local lines = {
  'import Electrical',                                  -- 1
  'import Blocks',                                      -- 2
  '',                                                   -- 3
  '-- | A filter of two parts.',                        -- 4
  'filter :: Resistance -> SR (p :: Pin, n :: Pin)',    -- 5
  'filter r = sigrel (p, n) where',                     -- 6
  '  r1: resistor r <> (p, m)',                         -- 7
  '  capacitor 1.0e-6 <> (m, n)',                       -- 8
  '',                                                   -- 9
  'main :: SR ()',                                      -- 10
  'main = sigrel () where',                             -- 11
  '  sineVoltage 1.0 50.0 <> (a, g)',                   -- 12
  '  filter 10.0 <> (a, g)',                            -- 13
  '  ground <> g',                                      -- 14
}
vim.fn.writefile(lines, file)
vim.cmd('edit ' .. file)
local buffer = vim.api.nvim_get_current_buf()

local failed = false
local function check(fine, what)
  if not fine then
    failed = true
    io.stderr:write('wrong: ' .. what .. '\n')
  end
end

local client = vim.lsp.start_client({ name = 'sigrel', cmd = { vim.env.SIGREL, 'lsp' }, root_dir = folder })
check(client, 'the server starts')
vim.lsp.buf_attach_client(buffer, client)
vim.wait(10000, function() return vim.lsp.buf_get_clients(buffer)[client] ~= nil end)

local document = vim.lsp.util.make_text_document_params(buffer)
local function ask(method, more)
  local params = vim.tbl_extend('force', { textDocument = document }, more or {})
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 10000)
  local answer = answers and answers[client]
  check(answer and not answer.error, method .. ' has an answer')
  return answer and answer.result
end
local function at(line, character) return { position = { line = line, character = character } } end
local all = { range = { start = { line = 0, character = 0 }, ['end'] = { line = 14, character = 0 } } }

local function text_of(value) return vim.inspect(value or '') end
check(text_of(ask('textDocument/hover', at(12, 4))):find('A filter of two parts', 1, true), 'hover has the documentation')
check(text_of(ask('textDocument/hover', at(6, 22))):find('Pin', 1, true), 'hover has the type of a node')
local place = ask('textDocument/definition', at(12, 4))
check(place and place.range.start.line == 5, 'the definition is found')
check(#(ask('textDocument/references', vim.tbl_extend('force', at(12, 4), { context = { includeDeclaration = true } })) or {}) == 3,
  'three references')
check(#(ask('textDocument/documentHighlight', at(12, 4)) or {}) == 3, 'three highlights')
check(#(ask('textDocument/completion', at(12, 4)) or {}) > 50, 'completion offers the library')
check(#(ask('textDocument/documentSymbol') or {}) == 2, 'two symbols')
check(#(ask('workspace/symbol', { query = 'filt' }) or {}) == 1, 'a symbol of the workspace')
check(#((ask('textDocument/semanticTokens/full') or {}).data or {}) > 20, 'semantic tokens')
check(#(ask('textDocument/foldingRange') or {}) >= 3, 'folds')
check(#(ask('textDocument/selectionRange', { positions = { { line = 12, character = 4 } } }) or {}) == 1, 'selections')
check(text_of(ask('textDocument/signatureHelp', at(11, 18))):find('Frequency', 1, true), 'the signature of a call')
check(#(ask('textDocument/inlayHint', all) or {}) >= 1, 'hints')
check(text_of(ask('textDocument/codeLens')):find('Plot', 1, true), 'lenses')
local items = ask('textDocument/prepareCallHierarchy', at(12, 4)) or {}
check(#items == 1, 'a definition in the call hierarchy')
if items[1] then
  check(#(ask('callHierarchy/incomingCalls', { item = items[1] }) or {}) == 1, 'what uses it')
  check(#(ask('callHierarchy/outgoingCalls', { item = items[1] }) or {}) >= 2, 'what it uses')
end
check(vim.tbl_isempty(ask('textDocument/rangeFormatting', vim.tbl_extend('force', all, {
  options = { tabSize = 2, insertSpaces = true } })) or {}), 'a range that is formatted stays')
check(ask('textDocument/prepareRename', at(12, 4)), 'a rename is possible')
check(text_of(ask('textDocument/rename', vim.tbl_extend('force', at(12, 4), { newName = 'lowPass' }))):find('lowPass', 1, true),
  'a rename')
check(vim.tbl_isempty(ask('textDocument/formatting', { options = { tabSize = 2, insertSpaces = true } }) or {}),
  'a text that is formatted stays')

check(vim.tbl_isempty(ask('textDocument/onTypeFormatting', vim.tbl_extend('force', at(9, 0), {
  ch = '\n', options = { tabSize = 2, insertSpaces = true } })) or {}), 'a declaration that is formatted stays')
-- Runs: the final values, a picture, the equations in order; then the cursor shows the value.
local run = ask('sigrel/run', { stop = 0.1 })
check(run and run.completed and #run.values > 3, 'a run has values')
local plot = ask('sigrel/plot', { definition = 'main', stop = 0.1 })
check(plot and text_of(plot.svg):find('<svg', 1, true), 'a plot')
check(text_of(ask('sigrel/blocks')):find('capacitor', 1, true), 'the blocks')
check(text_of(ask('textDocument/hover', at(11, 28))):find('last run', 1, true), 'hover has the value of the last run')

-- A mistake is underlined, and its quick fix is offered; when it is mended, the mark is gone.
local errors = { severity = vim.diagnostic.severity.ERROR }
vim.api.nvim_buf_set_lines(buffer, 6, 7, false, { '  r1: resistr r <> (p, m)' })
check(vim.wait(10000, function() return #vim.diagnostic.get(buffer, errors) > 0 end), 'a mistake has a diagnostic')
local found = vim.diagnostic.get(buffer, errors)[1] or {}
check(found.lnum == 6 and (found.code or vim.tbl_get(found, 'user_data', 'lsp', 'code')) == 'SR0105', 'at its line, with its code')
local actions = ask('textDocument/codeAction', {
  range = { start = { line = 6, character = 6 }, ['end'] = { line = 6, character = 6 } }, context = { diagnostics = {} } })
check(text_of(actions):find('resistor', 1, true), 'the fix is offered')
if actions and actions[1] then vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-8') end
check(vim.api.nvim_buf_get_lines(buffer, 6, 7, false)[1] == lines[7], 'the fix makes it right')
check(vim.wait(10000, function()
  return #vim.diagnostic.get(buffer, errors) == 0
end), 'and the mark is gone')

vim.lsp.stop_client(client)
vim.fn.delete(folder, 'rf')
vim.cmd(failed and 'cquit 1' or 'qall!')
