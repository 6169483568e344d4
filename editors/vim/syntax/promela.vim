" Syntax of Promela, with the dynamic extension of Quotient.
if exists('b:current_syntax')
  finish
endif

syntax case match

syntax keyword promelaControl atomic break d_step do else fi for goto if od return select unless
syntax keyword promelaDeclaration active proctype D_proctype init never ltl trace notrace typedef inline hidden show
syntax keyword promelaDeclaration local provided priority xr xs of
syntax keyword promelaType bit bool byte chan int mtype pid short unsigned
syntax keyword promelaConstant true false skip np_ timeout
syntax keyword promelaFunction assert printf printm len empty nempty full nfull enabled eval pc_value get_priority
syntax keyword promelaFunction set_priority run
syntax keyword promelaUnsupported c_code c_decl c_expr c_state c_track
syntax keyword promelaSpecial _pid _nr_pr _last _priority

" Words of the dynamic extension, which are names in other models.
syntax match promelaControl /=\s*\zsnew\ze\s\+\k/
syntax match promelaControl /\<delete\ze\s\+[[:alpha:]_(*]/
syntax match promelaDeclaration /\<function\ze\s\+\k\+\s*(/
syntax match promelaType /\<ftype\ze\s\+\k/
syntax keyword promelaConstant null

syntax match promelaLabel /\%(^\|[;{}]\)\s*\zs\h\w*\ze\s*:\%([:=]\)\@!/
syntax match promelaLabel /\%(\<goto\s\+\)\@<=\h\w*/
syntax match promelaName /\%(\<\%(proctype\|D_proctype\|inline\|function\|typedef\|ltl\)\s\+\)\@<=\h\w*/
syntax match promelaNumber /\<\d\+\>/
syntax match promelaGuard /::\|->/
syntax match promelaTemporal /\[\]\|<>/
syntax match promelaFormat /%[-+0-9.l]*[cdeioux%]/ contained
syntax region promelaString start=/"/ skip=/\\./ end=/"\|$/ oneline contains=promelaFormat
syntax match promelaString /'\%(\\.\|[^'\\]\)'/
syntax match promelaPreprocessor /^\s*#\s*\w\+/
syntax match promelaInclude /^\s*#\s*include\>.*$/ contains=promelaString,promelaComment
syntax match promelaComment /\/\/.*$/ contains=@Spell,promelaTodo
syntax region promelaComment start=/\/\*/ end=/\*\// contains=@Spell,promelaTodo
syntax keyword promelaTodo TODO FIXME XXX contained
syntax sync ccomment promelaComment

highlight default link promelaControl Statement
highlight default link promelaDeclaration Structure
highlight default link promelaType Type
highlight default link promelaConstant Constant
highlight default link promelaFunction Function
highlight default link promelaUnsupported Error
highlight default link promelaSpecial Identifier
highlight default link promelaLabel Label
highlight default link promelaName Function
highlight default link promelaNumber Number
highlight default link promelaGuard Operator
highlight default link promelaTemporal Operator
highlight default link promelaFormat SpecialChar
highlight default link promelaString String
highlight default link promelaPreprocessor PreProc
highlight default link promelaInclude Include
highlight default link promelaComment Comment
highlight default link promelaTodo Todo

let b:current_syntax = 'promela'
