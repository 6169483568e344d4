-- The language server of Quotient, for Neovim 0.11 and newer: `vim.lsp.enable('quotient')`.
return {
  cmd = { 'quotient', 'lsp' },
  filetypes = { 'bir', 'promela' },
  root_markers = { '.git' },
  -- For instance { defines = { 'N=3' }, check = { seconds = 60, megabytes = 4096 } }.
  init_options = vim.empty_dict(),
  on_attach = function(_, buffer)
    -- Verdicts stand above what was checked; `grx` (or `vim.lsp.codelens.run()`) checks what is under the cursor.
    vim.api.nvim_create_autocmd({ 'BufEnter', 'CursorHold', 'InsertLeave' }, {
      buffer = buffer,
      callback = function()
        vim.lsp.codelens.refresh({ bufnr = buffer })
      end,
    })
  end,
}
