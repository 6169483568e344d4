" Syntax of BIR, the language of Quotient.
if exists('b:current_syntax')
  finish
endif

syntax case match
syntax iskeyword @,48-57,_,$

syntax keyword birControl assert assume atomic catch choose do else elseif end exit goto if invoke loc notify
syntax keyword birControl notifyAll return skip start throw try unlock unwait wait when while
syntax keyword birDeclaration system const enum record extends typealias thread function returns virtual fun
syntax keyword birDeclaration extension invariant ltl
syntax keyword birType boolean int long tid string lock
syntax keyword birConstant true false null
syntax keyword birOperator instanceof shl shr ushr lockAvailable hasLock wasNotified threadTerminated new

" Words that mean something at one place only, and are names everywhere else.
syntax match birModifier /\<\%(top\|throwable\|abstract\|main\)\ze\s\+\%(record\|enum\|thread\|throwable\|top\)\>/
syntax match birModifier /\<active\ze\s*\%(\[.\{-}\]\s*\)\?\s\?thread\>/
syntax match birModifier /\<\%(invisible\|fair\)\ze\s*\%(invisible\|fair\)\?\s*{/
syntax match birModifier /\<live\ze\s*{/
syntax match birModifier /\<wrap\ze\s*(/
syntax match birQuantifier /\<\%(forall\|exists\)\ze\s\+\k/
syntax match birControl /\<for\ze\s\+\k\+\s\+in\>/
syntax match birControl /\<\%(break\|continue\)\ze\s*;/
syntax match birControl /\<delete\ze\s\+[[:alpha:]_$(]/
syntax match birInclude /\<import\ze\s*"/
syntax match birQuantifier /\<in\>/
syntax match birCollection /\<\%(Set\|Bag\|Map\|Seq\|Queue\)\ze\s*[.{]/

syntax match birLabel /^\s*\zs\k\+\ze\s*\%(\<end\s*\)\?:\%(=\)\@!/
syntax match birLabel /\%(\<\%(loc\|goto\)\s\+\)\@<=\k\+/
syntax match birName /\%(\<\%(system\|record\|enum\|typealias\|virtual\|const\|thread\|function\|fun\|invariant\|ltl\)\s\+\)\@<=\k\+/
syntax match birNumber /\<\%(0[xX]\x\+\|\d\+\)[lL]\?\>/
syntax match birTemporal /\[\]\|<>/
syntax region birString start=/"/ skip=/\\./ end=/"\|$/ oneline
syntax match birComment /\/\/.*$/ contains=@Spell,birTodo
syntax region birComment start=/\/\*/ end=/\*\// contains=@Spell,birTodo
syntax keyword birTodo TODO FIXME XXX contained
syntax sync ccomment birComment

highlight default link birControl Statement
highlight default link birDeclaration Structure
highlight default link birModifier StorageClass
highlight default link birType Type
highlight default link birCollection Type
highlight default link birConstant Constant
highlight default link birOperator Operator
highlight default link birQuantifier Operator
highlight default link birTemporal Operator
highlight default link birInclude Include
highlight default link birLabel Label
highlight default link birName Function
highlight default link birNumber Number
highlight default link birString String
highlight default link birComment Comment
highlight default link birTodo Todo

let b:current_syntax = 'bir'
