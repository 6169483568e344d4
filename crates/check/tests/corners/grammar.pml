// Corners of the grammar, and what comes of them. The first part are declarations, statements and expressions by their names;
// `more_` and `further_` are variations.
//
// The numbers of states and transitions behind `holds` are those of SPIN 6.5.2 without reductions.

//// active_args: holds 3 3
active proctype P(byte a) { assert(a == 0) }

//// active_expr: holds 7 9
active [1+1] proctype P() { assert(_pid < 2) }

//// active_n: holds 7 9
#define N 2
active [N] proctype P() { assert(_pid < 2) }

//// args: holds 8 9
byte x;
proctype P(byte a, b; int c; chan d) { x = a + b + c; d!x }
chan q = [1] of { byte };
init { run P(1, 2, 3, q); q?6 }

//// arr_size_expr: holds 3 3
#define N 2
byte a[N*2+1];
init { a[4] = 1 }

//// long_arrow: holds 4 4
byte x = 1;
init { if :: (x == 1) --> x = 2 :: else --> skip fi }

//// long_arrow_between_names: violated deadlock
byte x = 1, y;
init { x-->y; }

//// long_arrow_after_name: holds 4 4
byte x = 5;
init { x--> assert(x == 5) }

//// arrow3e: holds 4 4
byte x = 5;
init { x-- -> assert(x == 4) }

//// long_arrow_after_skip: holds 6 6
byte x = 5;
init { (x > 1) --> x = 3; skip --> assert (x == 3) }

//// long_arrow_with_blanks: holds 4 4
byte x = 5;
init { x --> x = 3; }

//// assert_forms: holds 4 4
byte x;
init { assert x == 0; assert(x == 0) }

//// bignum: holds 3 3
init { int x = 4294967297; assert(x == 1) }

//// break_nested: holds 12 12
byte x;
init { do :: do :: break od; x++; if :: x > 2 -> break :: else fi od; assert(x == 3) }

//// chan_arr: holds 6 6
chan c[3] = [1] of { byte };
init { byte i; c[2]!4; c[0] = c[2]; c[0]?i; assert(i == 4 && empty(c[2])) }

//// chan_msg: holds 6 6
chan c = [1] of { chan };
chan d = [1] of { byte };
init { chan e; c!d; c?e; e!3; d?3 }

//// chars: holds 7 7
init { byte c = 'a'; assert(c == 97); c = '\n'; assert(c == 10); assert('\\' == 92); c = '0' }

//// code_in_comment: holds 3 3
// "unterminated
/* "also */
byte x; /* ' */
init { x = 1 }

//// cond1: holds 6 6
byte x = 3, y;
init { y = (x > 2 -> 5 : 6); assert(y == 5); y = (x == 1 -> 1 : (x == 3 -> 7 : 8)); assert(y == 7) }

//// continuation: holds 5 5
byte x;
#define SET(a) x = a; \
  x = a + 1
init { SET(3); assert(x == 4) }

//// continuation_comment: holds 3 3
byte x; // comment \
still comment
init { x = 1 }

//// copy: holds 9 9
chan c = [2] of { byte };
init { byte x; c!7; c?<x>; assert(x == 7 && len(c) == 1); c!8; c??<8>; c??<x>; assert(x == 7) }

//// d_proctype: holds 3 3
byte x;
active D_proctype P() { x = 1 }

//// decl_in_block: holds 7 7
byte g;
init { { byte x = 3; g = x } { byte x = 4; g = g + x } assert(g == 7) }

//// decl_multi_types: holds 4 4
init { byte a, b; int c = 3, d[2] = 4; chan e, f = [1] of { byte }; assert(c + d[1] == 7); f!1 }

//// do_skip2: holds 2 3
active proctype P() { do :: skip; skip od }

//// dstep_label: holds 4 4
byte x;
init { d_step { x = 1; L: x++; if :: x < 4 -> goto L :: else fi }; assert(x == 4) }

//// else_only: holds 5 5
byte x;
init { if :: else -> x = 1 fi; do :: else -> break od }

//// else_order: holds 5 5
byte x;
init { if :: else -> x = 2 :: x == 1 -> x = 3 fi; assert(x == 2) }

//// empty_proctype: holds 9 11
proctype P() { skip }
init { atomic { run P(); run P() } }

//// eval_const: holds 5 5
chan c = [3] of { byte };
init { c!2; c?eval(2); assert(empty(c)) }

//// eval_forms: holds 10 10
chan c = [3] of { byte };
init { byte x = 2; c!2; c?eval(x); c!3; c?eval(x + 1); c!4; if :: c?eval(x) -> assert(false) :: c?[eval(x*2)] -> c?_ fi; assert(empty(c)) }

//// for_break: holds 12 12
init { int i; for (i : 1 .. 5) { if :: i == 3 -> break :: else fi } assert(i == 3) }

//// for_byte_end: holds 20 20
init { byte i; short n; for (i : 250 .. 254) { n++ } assert(n == 5) }

//// for_in_arr: holds 14 14
byte a[3] = {4, 5, 6};
init { byte i, s; for (i in a) { s = s + a[i] } assert(s == 15) }

//// for_in_rec: holds 20 20
typedef T { byte k; byte v }
chan c = [3] of { T };
init { T m; byte s; m.k = 1; m.v = 2; c!m; m.k = 3; c!m; for (m in c) { s = s + m.k }; assert(s == 4) }

//// for_neg: holds 20 20
init { int i, n; for (i : -2 .. 2) { n++ } assert(n == 5 && i == 3) }

//// goto_if: holds 4 4
byte x;
init { goto L; x = 1; L: if :: x == 0 -> goto M :: else fi; M: N: x = 2 }

//// goto_self: holds 4 5
byte x;
init { L: x = 1; if :: goto L :: skip fi }

//// hidden1: holds 6 6
hidden byte h; byte x;
init { h = 1; x = h; h = 3; x = 1 }

//// if_expr: holds 3 3
#define A 3
#if A > 2 && (A * 2 == 6) || defined(NOPE)
byte x = 1;
#elif A
byte x = 2;
#else
#error no
#endif
#if !defined B && (A == 3 ? 1 : 0) && ('a' == 97) && 0x10 == 16 && (1 << 2) == 4
init { assert(x == 1) }
#endif

//// init_prio: holds 3 3
init priority 3 { assert(_priority == 3) }

//// inline1: holds 5 5
byte x;
inline inc(v, n) { v = v + n; }
init { inc(x, 1 + 1); inc(x, (x > 1 -> 3 : 4)); assert(x == 5) }

//// inline2: holds 6 6
byte x;
inline f() { x++ }
inline g(a) { f(); a = x; f() }
init { byte y; g(y); assert(y == 1 && x == 2) }

//// inline_local: holds 9 9
byte x;
inline f(a) { byte t; t = a; x = x + t }
init { f(1); f(2); assert(x == 3) }

//// inline_ret: holds 4 4
byte x;
inline f(a) { return a + 1 }
init { x = f(2); assert(x == 3) }

//// inline_same_param: holds 4 4
typedef T { byte x } 
T x;
inline f(x1) { x1.x = 3 }
init { f(x); assert(x.x == 3) }

//// label_end_block: holds 4 4
byte x;
init { x = 1; goto out; x = 2; out: }

//// label_semi: holds 4 4
byte x;
init { x = 1; goto out; x = 2; out: ; }

//// late_arr: holds 6 6
init { byte x; x = 1; bit a[1] = {0}; a[0] = 1; assert(a[0] == 1) }

//// late_scalar_loop: holds 13 13
init { byte i; do :: i < 2 -> byte a = 5; a++; assert(a == 6); i++ :: else -> break od }

//// local1: holds 4 4
local byte h;
active proctype P() { h = 1; assert(h == 1) }

//// ltl_inline: holds 3 3
byte x;
#define p (x == 0)
active proctype P() { x = 1 }
ltl f1 { p U (x == 1) }
ltl { <> (x == 1) }

//// mtype_arr: holds 13 13
mtype = { r, g };
mtype t[3] = g;
init { byte i; for (i : 0 .. 2) { assert(t[i] == g) } }

//// mtype_chan: holds 8 8
mtype = { req, ack };
chan c = [2] of { mtype, byte };
init { byte n; c!req(3); c!ack,4; c?req(n); assert(n == 3); c?ack,n; assert(n == 4) }

//// mtype_noeq: holds 4 4
mtype { a, b, c }
mtype m;
init { m = c; assert(m == 1) }

//// mtype_num: holds 5 5
mtype = { a, b, c };
init { assert(a == 3 && b == 2 && c == 1); int x = a + 1; assert(x == 4) }

//// mtype_sub: violated assertion
mtype:fruit = { apple, pear };
mtype:veg = { leek, kale };
mtype:fruit f = apple;
mtype:veg v = kale;
init { f = pear; assert(f != v); printf("%e %e\n", f, v) }

//// mtype_two: holds 5 5
mtype = { a, b };
mtype = { c, d };
mtype m = c;
init { assert(m > a); m = d; printf("%e", m) }

//// multi_init: holds 3 3
byte a = 1, b = 2, c[2] = 3;
init { assert(a + b + c[0] + c[1] == 9) }

//// nested_comment: holds 3 3
/* one /* two */
byte x; // rest */ /* no
init { x /* in */ = /**/ 1 }

//// notrace1: holds 3 3
chan c = [1] of { byte };
notrace { c!2 }
init { c!1 }

//// np: holds 4 4
byte x;
init { progress: x = 1; x = 2 }
never { do :: np_ :: else od }

//// nr_pr: holds 8 8
proctype C() { skip }
init { assert(_nr_pr == 1); run C(); (_nr_pr == 1); skip }

//// octnum: holds 3 3
init { int x = 010; assert(x == 10) }

//// only_decl: holds 2 2
init { byte x }

//// only_decl2: holds 2 2
active proctype P() { byte x; int y = 3 }

//// only_decl3: holds 3 3
active proctype P() { byte x; int y = 3; }
init { chan c = [1] of { byte } }

//// ops: holds 8 8
init { assert(7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1); assert((5 & 3) == 1 && (5 | 3) == 7 && (5 ^ 3) == 6 && ~0 == -1); assert((1 << 3) == 8 && (16 >> 2) == 4); assert(!0 && !(!1)); assert(1 + 2 * 3 == 7); assert(- - 3 == 3) }

//// pc_val: holds 10 14
active proctype P() { skip; skip }
active proctype Q() { assert(pc_value(0) >= 0) }

//// pid_type: holds 11 15
pid p;
proctype C() { skip }
init { p = run C(); assert(p == 1); p = _pid }

//// prec: holds 6 6
init { assert((1 | 2 ^ 3 & 2) == (1 | (2 ^ (3 & 2)))); assert(1 == 1 && 2 > 1 || 0); assert((2 << 1 + 1) == 8); assert(!1 == 0) }

//// printf1: holds 5 5
init { byte x = 3; printf("%d %u %x %o %c %% %e\n", x, x, x, x, 65, x); printf("MSC: hello\n"); printf("%d\n", (x > 1 -> 1 : 0)) }

//// printf_noargs: holds 5 5
init { printf("plain") ; printf("a" ) ; skip }

//// printf_toofew: holds 3 3
init { printf("%d %d\n", 1) }

//// printf_toomany: holds 3 3
init { printf("x\n", 1) }

//// printm1: holds 4 4
mtype = { one, two }
init { mtype m = two; printm(m); printm(one) }

//// prio1: holds 8 8
byte x;
active proctype A() priority 2 { x = 1 }
active proctype B() priority 5 { x = 2 }
init { assert(_priority == 1); skip }

//// prio2: holds 8 8
byte x;
proctype A() { x = 1; set_priority(_pid, 3); x = get_priority(_pid); }
init { run A() priority 4; (x > 1) }

//// provided1: holds 13 17
byte x;
active proctype P() provided (x == 0) { skip; skip }
active proctype Q() { x = 1; x = 0 }

//// rec_arr_init: holds 3 3
typedef T { byte a; byte b }
T r[2] = 5;
init { assert(r[1].a == 0) }

//// rec_init: holds 4 4
typedef T { byte a; byte b }
T r = 5;
init { assert(r.a == 0); assert(r.b == 0) }

//// rec_init_expr: holds 3 3
typedef T { byte a; byte b }
byte z = 3;
T r = z + 1;
init { assert(r.a == 0) }

//// rec_init_local: holds 4 4
typedef T { byte a; byte b = 3 };
init { T r = 5; assert(r.a == 0); assert(r.b == 3) }

//// recv_const: holds 7 7
#define K 3
mtype = { m }
chan c = [3] of { mtype, int };
init { c!m,K; c?m,K; c!m(-K); c??m(-3); assert(empty(c)) }

//// recv_forms: holds 11 11
chan c = [3] of { byte, byte, bool };
init { byte x, y; c!1(2, true); c?1(x, _); assert(x == 2); c!3,4,false; c?x(y,eval(false)); assert(x == 3 && y == 4); c!5(6,1); c?eval(x+2),y,true; assert(y == 6) }

//// recv_neg: holds 5 5
chan c = [3] of { int };
init { c!-2; c?-2; assert(empty(c)) }

//// remote1: violated assertion
byte g;
active proctype P() { byte loc = 3; L: g = 1; M: g = 2 }
active proctype Q() { if :: P@M -> assert(g == 1) :: P@L -> assert(g == 0) :: else fi; assert(P:loc == 3 || !(P@L)) }

//// remote_claim: holds 4 4
byte g;
active proctype P() { byte loc = 3; L: g = 1; M: g = 2 }
never { do :: P[0]@M -> break :: P:loc == 3 od }

//// run_expr: holds 22 36
proctype C() { skip }
init { byte p; p = run C(); assert(p == 1); if :: run C() -> skip fi }

//// select1: holds 10 13
init { byte x; select (x : 1 .. 4); assert(x >= 1 && x <= 4) }

//// select2: holds 13 15
init { int x, lo = -1; select (x : lo .. lo + 2); assert(x < 2) }

//// select3: holds 5 7
init { int x; select (x: 2..4); select(x:3..3); assert(x == 3) }

//// semis2: holds 4 4
byte x
init { x = 1 -> x = 2 -> ; }

//// semis3: holds 4 4
byte x;
init { if :: x == 0 ; ; x = 1 :: else ; fi ; ; }

//// short1: holds 11 11
short s = 32767; byte b = 255; bit t = 1; bool f = true; int i = 2147483647;
init { s++; assert(s == -32768); b++; assert(b == 0); t++; assert(t == 0); f++; i++; assert(i < 0) }

//// show1: holds 5 5
show byte h; 
init { show byte z; h = 1; z = 2; h = z }

//// skip_label: holds 3 3
init { accept: skip; progress_x: skip; end_y: (false) }

//// sorted: holds 12 12
chan c = [4] of { byte, byte };
init { byte a, b; c!!3,1; c!!1,2; c!!2,9; c!!2,1; c?a,b; assert(a == 1); c?a,b; assert(a == 2 && b == 1); c??3,b; assert(b == 1); }

//// stray1: holds 3 3
byte x; */ byte y;
init { x = 1 }

//// string_comment: holds 5 5
init { printf("/* no comment // */\n"); printf("a\"b\n"); printf("\\") }

//// timeout1: holds 7 7
byte x;
active proctype P() { timeout -> x = 1 }
active proctype Q() { (x == 1) -> skip }

//// trace1: holds 4 4
chan c = [1] of { byte };
trace { c!1; c?1 }
init { c!1; c?1 }

//// trace_few: holds 3 3
chan c = [1] of { byte, byte };
trace { do :: c!1 od }
init { c!1,2 }

//// truefalse: holds 7 7
bool b = true;
init { b = false; assert(b == 0); b = !b; assert(b == true); assert(true + true == 2) }

//// typedef_assign: holds 5 5
typedef A { byte x; byte y };
A a, b;
init { a.x = 3; b.x = a.x; assert(b.x == 3) }

//// typedef_init: holds 5 5
typedef A { byte x = 4; byte y[2] = 3; chan c = [1] of { byte } };
A a;
init { assert(a.x == 4 && a.y[1] == 3); a.c!1; a.c?1 }

//// typedef_msg: holds 7 7
typedef A { byte x; byte y };
chan c = [1] of { A, byte };
init { A a, b; byte z; a.x = 3; a.y = 4; c!a,5; c?b,z; assert(b.x == 3 && b.y == 4 && z == 5) }

//// undef1: holds 3 3
#define N 2
#undef N
byte N = 3;
init { assert(N == 3) }

//// undef2: holds 3 3
#define N 2
byte a = N;
#undef N
#define N 4
byte b = N;
init { assert(a == 2 && b == 4) }

//// unless_lines: holds 7 7
byte x;
init { { x = 1; x = 2; x = 3 } unless { x == 2 -> x = 9 }; assert(x == 9) }

//// unsigned1: holds 9 9
unsigned u : 3 = 7; unsigned v:5;
init { u++; assert(u == 0); v = 33; assert(v == 1); unsigned w : 1 = 1; w++; assert(w == 0) }

//// unsigned32: holds 5 5
unsigned u : 31;
init { u = 5; u--; assert(u == 4) }

//// xr_xs: holds 7 7
chan c = [1] of { byte };
active proctype P() { xs c; c!1; c!2 }
active proctype Q() { xr c; c?_; c?_ }

//// more_ar1: holds 4 4
byte x = 1, y = 2;
init { y = (x --> 3 : 4); assert(y == 3) }

//// more_ar2: holds 5 5
byte x = 1, y = 2;
init { x---> y = 3; assert(x == 0) }

//// more_ar5: holds 4 4
#define A -->
byte x = 1, y = 2;
init { x A y = 4 }

//// more_k2: holds 6 6
byte g;
init { byte a[1] = {7};  byte e[3] = {6}; g = a[0];  g = e[0]; g = e[1];g = e[2] }

//// more_k3: holds 6 6
byte a[1] = {7};  byte e[3] = {6};
byte g;
init {g = a[0];  g = e[0]; g = e[1];g = e[2] }

//// more_k4: holds 11 12
byte g;
init { g = 1; byte x = 4; g = x; bool bb; byte a[1] = {7}; g = a[0]; a[0]=2; do :: byte z[1] = {3}; g = z[0]; z[0] = 4 od }

//// more_k5: violated assertion
init { byte x; x = 3; byte c[1] = {1}; assert(c[0] == 1) }

//// more_k6: violated assertion
init { byte x; x = 3; byte c[1] = 1; assert(c[0] == 1) }

//// more_k7: holds 6 6
init { byte x; x = 3; byte c[1]; c[0] = 1; assert(c[0] == 1) }

//// more_k8: violated assertion
init { byte x; x = 3; byte c[2] = 1; assert(c[0] == 1) }

//// more_la10: holds 13 13
chan g = [1] of { byte };
init { byte x; do :: x < 2 -> chan q = g; q!1; x++; g?_ :: else -> break od }

//// more_la6: violated assertion
init { byte x = 2; x = 1; byte b[2] = x; assert(b[0] == 1); assert(b[1] == 1) }

//// more_la7: holds 5 5
typedef T { byte a = 3 }
init { byte x; x = 1; T t; assert(t.a == 3) }

//// more_la9c: violated assertion
init { byte x; atomic { x = 3; byte c[1] = {1}; assert(c[0] == 1)  } }

//// more_m1: violated assertion
init { byte x = 2; x = 1; byte b[2] = 7; assert(b[1] == 7) }

//// more_m2: holds 5 5
init { byte x = 2; x = 1; byte b[2] = {7}; assert(b[1] == 7) }

//// more_m3: violated assertion
init { byte x = 2; x = 1; byte b[2] = {7}; assert(b[1] == 0) }

//// more_m4: holds 5 5
init { byte x = 2; x = 1; byte b[2] = 7; assert(b[1] == 0) }

//// more_m5: holds 40 61
byte g;
active proctype P() { byte x = 2; x = 1; byte b[2] = {7}; b[0] = g; b[1] = 3; assert(b[1] == 3) }
active proctype Q() { g = 1; g = 2 }

//// more_m6: holds 40 61
byte g;
active proctype P() { byte x = 2; x = 1; byte b[2] = 7; b[0] = g; b[1] = 3; assert(b[1] == 3) }
active proctype Q() { g = 1; g = 2 }

//// more_m7: holds 7 9
byte g;
active proctype P() { byte x = 2; do :: x = 1; byte b[1] = {7}; if :: b[0] = g :: skip fi; g = b[0]; b[0] = 3 od }

//// more_od1: holds 3 3
active [2] proctype P() { byte x = 3; chan c = [1] of { byte } }

//// more_od11: holds 4 4
byte g;
init { g = 1; { byte x; } unless { byte y } }

//// more_od2: holds 8 9
proctype P(byte z) { byte x = 3 }
init { run P(1); run P(2) }

//// more_od3: holds 4 4
byte g;
init { { byte x = 3 }; g = 1 }

//// more_od4: holds 3 4
byte g;
init { if :: byte x = 3 :: g = 1 fi }

//// more_od5: holds 5 5
byte g;
init { atomic { byte x = 3 }; g = 1; d_step { byte y } }

//// more_od6: holds 3 4
byte g;
init { do :: byte x; :: break od }

//// more_od7: holds 4 4
byte g;
inline f() { byte x }
init { f(); g = 1 }

//// more_st1: holds 3 3
*/
byte x;
init { x = 1 }

//// more_st4: holds 5 5
byte x; */ 
init { x = 1 */; x = 2 ; assert(x == 2) */ }

//// more_st6: violated assertion
byte x;
init { x = 1;
 x = 3 */ 
assert(x == 1) }

//// more_st9: holds 3 3
byte x;
*/
*/ init { x = 1; }

//// more_tr1: holds 5 5
chan c = [1] of { byte, byte };
trace { c!1; c!2 }
init { c!1,2; c?_,_; c!2,3 }

//// more_tr2: violated trace
chan c = [1] of { byte, byte };
notrace { c!1 }
init { c!1,2 }

//// more_tr3: holds 6 6
chan c = [1] of { byte, byte };
trace { c?1; c?2 }
init { c!1,2; c?_,_; c!2,3; c?_,_ }

//// more_tr6: holds 4 4
chan c = [1] of { byte, byte }; chan d = [1] of { byte, byte, byte };
trace { c!1,2,_ }
init { c!1,2; c?_,_ }

//// further_a1: holds 3 3
byte a[3] = {1, 2};
init { assert(a[2] == 2) }

//// further_a2: holds 3 3
byte a[2] = {1, 2, 3};
init { assert(a[1] == 2) }

//// further_a3: holds 3 3
byte x = 3, a[x];
init { skip }

//// further_a4: holds 13 13
#define N 3
byte a[N] = N;
init { byte i; for (i : 0 .. N-1) { assert(a[i] == N) } }

//// further_a5: holds 3 3
int x = -5; byte b = -1; short s = 70000; bit t = 2; unsigned u:2 = 7;
init { assert(x == -5 && b == 255 && s == 4464 && t == 0 && u == 3) }

//// further_a6: holds 4 4
byte b = 256 + 3; bool z = 5;
init { assert(b == 3); assert(z == 1) }

//// further_b1: holds 4 4
mtype = { a, b, c }
mtype:x = { d, e }
init { mtype m = a; mtype:x n = d; m = n; printf("%e", m) }

//// further_b2: holds 4 4
mtype = { a, b };
chan c = [1] of { mtype:foo };
mtype:foo = { z };
init { c!z; c?z }

//// further_b3: holds 4 4
mtype a, b;
mtype = { red };
init { a = red; b = a }

//// further_c1: holds 3 3
byte x;
init { end: progress: accept: x = 1 }

//// further_c2: holds 3 4
byte x;
init { if :: L: x = 1 :: M: skip fi }

//// further_c3: holds 8 8
byte x;
init { do :: L: x++; if :: x < 3 -> goto L :: else -> break fi od }

//// further_c5: holds 5 5
byte x;
init { L: { x = 1; x = 2 } goto M; M: skip }

//// further_c6: holds 5 5
byte x;
init { L: atomic { x++; if :: x < 3 -> goto L :: else fi } }

//// further_c7: holds 8 8
byte x;
init { L: if :: x < 2 -> x++; goto L :: else fi; end: }

//// further_d2: holds 30 30
init { byte i, j; for (i : 1 .. 2) { for (j : 1 .. 2) { if :: i == j -> goto next :: else fi; skip; next: skip } } }

//// further_d3: holds 14 14
int a[3];
init { int i; for (i in a) { a[i] = i; } assert(a[2] == 2 && i == 3) }

//// further_d4: holds 11 11
typedef T { int a[3]; byte n }
T t[2];
init { int i; for (i in t) { t[i].n = 1 } assert(t[1].n == 1) }

//// further_d6: holds 9 12
init { byte x; select (x : 1 .. 3); if :: x == 2 -> select (x : 5..6) :: else fi }

//// further_d7: holds 21 23
byte lo = 1, hi = 3;
init { int x; select (x : lo .. hi); assert(x <= hi); for (x : lo .. hi) { hi = 2 } }

//// further_e1: holds 3 3
init { printf("%d"); }

//// further_e2: holds 4 4
init { printf("100%\n"); printf("%5d", 3) }
