" What all buffers with Promela have.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=s1:/*,mb:*,ex:*/,://
setlocal commentstring=/*\ %s\ */
setlocal include=^\\s*#\\s*include
setlocal define=^\\s*#\\s*define

let b:undo_ftplugin = 'setlocal comments< commentstring< include< define<'
