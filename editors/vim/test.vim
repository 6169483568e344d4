" The syntax files, word by word, on samples: `vim -N -u NONE -i NONE -es -S test.vim` in this folder. The exit code is 1, and
" the differences are printed, if a word is not what it should be.
let s:wrong = []
filetype plugin on
execute 'set runtimepath^=' . fnameescape(getcwd())
runtime ftdetect/quotient.vim
syntax on

" The group of the first character of a pattern.
function s:Is(pattern, group)
  call cursor(1, 1)
  let l:found = search(a:pattern, 'cW')
  let l:name = l:found ? synIDattr(synID(line('.'), col('.'), 1), 'name') : 'not found'
  if l:name !=# a:group
    call add(s:wrong, expand('%:t') . ': ' . a:pattern . ' is "' . l:name . '", not "' . a:group . '"')
  endif
endfunction

edit ../vscode/test/samples/words.bir
if &filetype !=# 'bir' || &l:commentstring !=# '// %s'
  call add(s:wrong, 'the type of words.bir is ' . &filetype . ', comments are ' . &l:commentstring)
endif
call s:Is('import', 'birInclude')
call s:Is('"locks', 'birString')
call s:Is('system', 'birDeclaration')
call s:Is('Words', 'birName')
call s:Is('a comment', 'birComment')
call s:Is('0x1F', 'birNumber')
call s:Is('abstract', 'birModifier')
call s:Is('throwable', 'birModifier')
call s:Is('int wrap', 'birType')
call s:Is('wrap (', 'birModifier')
call s:Is('Set', 'birCollection')
call s:Is('active;', '')
call s:Is('forall', 'birQuantifier')
call s:Is('\[\] (', 'birTemporal')
call s:Is('active\[', 'birModifier')
call s:Is('Worker(Node', 'birName')
call s:Is('idle end', 'birLabel')
call s:Is('end: live', 'birControl')
call s:Is('live {', 'birModifier')
call s:Is('invisible', 'birModifier')
call s:Is('no"', 'birString')
call s:Is('busy;', 'birLabel')
call s:Is('of it', 'birComment')
call s:Is('here:', 'birLabel')
call s:Is('for i', 'birControl')
call s:Is('delete n', 'birControl')
call s:Is('break;', 'birControl')
call s:Is('new Node', 'birOperator')

edit ../vscode/test/samples/words.pml
if &filetype !=# 'promela'
  call add(s:wrong, 'the type of words.pml is ' . &filetype)
endif
call s:Is('"lib', 'promelaString')
call s:Is('#define', 'promelaPreprocessor')
call s:Is('mtype = ', 'promelaType')
call s:Is('R {', 'promelaName')
call s:Is('P(byte', 'promelaName')
call s:Is('provided', 'promelaDeclaration')
call s:Is('again: if', 'promelaLabel')
call s:Is('if$', 'promelaControl')
call s:Is('::', 'promelaGuard')
call s:Is('again$', 'promelaLabel')
call s:Is('_pid', 'promelaSpecial')
call s:Is('%d', 'promelaFormat')
call s:Is('done$', 'promelaComment')
call s:Is('function', 'promelaDeclaration')
call s:Is('new Node', 'promelaControl')
call s:Is('delete n', 'promelaControl')
call s:Is('null', 'promelaConstant')
call s:Is('<> (', 'promelaTemporal')

if !empty(s:wrong)
  call writefile(s:wrong, '/dev/stderr')
  cquit
endif
quit!
