" What all buffers with BIR have.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=s1:/*,mb:*,ex:*/,://
setlocal commentstring=//\ %s
setlocal iskeyword=@,48-57,_,$
setlocal shiftwidth=2 softtabstop=2 expandtab
setlocal suffixesadd=.bir
if executable('quotient')
  " `gq` formats whole models only.
  setlocal formatprg=quotient\ fmt\ -
endif

let b:undo_ftplugin = 'setlocal comments< commentstring< iskeyword< shiftwidth< softtabstop< expandtab< suffixesadd< formatprg<'
