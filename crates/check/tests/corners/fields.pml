// Messages and patterns of another number of fields than their channel has, through variables and by name.
//
// The numbers of states and transitions behind `holds` are those of SPIN 6.5.2 without reductions. Where a model is violated, SPIN
// reports an error of the same kind, and may go on behind it.

//// array_of_channels: holds 4 4
chan c[2] = [1] of { byte, byte };
active proctype P() { byte i; c[1]!1,2; if :: c[i]?[1] -> assert(false) :: c[i+1]?[1] -> skip fi; 
end: c[i]?_ }

//// atomic_block: holds 2 2
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; byte x;
end: atomic { d?1; x = 1 } }
active proctype Q() { chan d = c; byte x; atomic { x = 1; 
end: d?1; x = 1 } }

//// dstep_few: holds 1 1
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; byte x;
end: d_step { d?1; x = 1 } }

//// dstep_if: holds 3 3
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; byte x; d_step { x = 1; if :: d?1 -> x = 2 :: d?2 -> x = 3 :: x == 1 -> x = 5 fi; assert(x == 5) } }

//// dstep_mid: violated channel
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; byte x; c!1,2; d_step { x = 1; if :: d?[1] -> x = 2 :: else fi; d?1; x = 1 } }

//// else_guard: holds 7 7
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; byte x; if :: d?[1] :: d??[2,3] :: else -> x = 1 fi; assert(x == 1); c!1,2; if :: d?[1] :: else -> assert(false) fi }

//// enabled: holds 3 3
chan c = [1] of { byte, byte };
active proctype P() { chan d = c;
end: d?_ }
active proctype Q() { assert(!enabled(0)) }

//// keep: holds 9 9
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; byte x; c!1,2; d?<x>; assert(x==1); d??<x>; d?<1>; d??<1>; skip }

//// keep_direct: holds 8 8
chan c = [2] of { byte, byte };
active proctype P() { byte x; c!1,2; c?<x>; assert(x==1); c??<x>; c?<1>; skip }

//// keep_more: violated channel
chan c = [2] of { byte, byte }; chan e = [1] of { byte, byte, byte };
active proctype P() { chan d = c; byte x, y,z; c!1,2; d?<x,y,z>; skip }

//// keep_more_any: violated channel
chan c = [2] of { byte, byte }; chan e = [1] of { byte, byte, byte };
active proctype P() { chan d = c; byte x, y,z; c!1,2; d?<x,y,_>; assert (x==1 && y ==2) }

//// more_end: holds 1 1
chan c = [2] of { byte, byte }; chan e = [1] of { byte, byte, byte };
active proctype P() { chan d = c; 
end: d?1,2,3 }

//// more_not_fitting: holds 3 3
chan c = [2] of { byte, byte }; chan e = [1] of { byte, byte, byte };
active proctype P() { chan d = c; c!1,2; if :: d?1,3,4 :: d?[1,3,1] :: d??[1,3,1] :: skip fi;
end: d?1,1,3 }

//// more_poll: violated channel
chan c = [2] of { byte, byte }; chan e = [1] of { byte, byte, byte };
active proctype P() { chan d = c; byte x; c!1,2; assert(d?[1,2,x]); assert(d??[1,_,_]); skip; assert(d?[1,_,1])}

//// more_poll1: violated channel
chan c = [2] of { byte }; chan e = [1] of { byte, byte, byte };
active proctype P() { chan d = c; byte x; c!1; assert(d?[1,x]); assert(d?[1,0]);}

//// more_take: violated channel
chan c = [2] of { byte, byte }; chan e = [1] of { byte, byte, byte };
active proctype P() { chan d = c; byte x; c!1,2; d?x,_,_ }

//// poll: holds 8 8
chan c = [1] of { byte, byte };
active proctype P() { chan d = c; bool b; b = d?[1]; c!1,2; b = d?[1]; assert(b); b = d?[3]; assert(!b) }

//// probes: holds 7 7
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; assert(empty(d) && nfull(d) && len(d)==0); d!1,2; assert(nempty(d)); d!1,2; assert(full(d)) }

//// proc_arg: holds 9 11
chan c = [1] of { byte, byte };
proctype R(chan d) { byte x; do :: d?[1] -> break :: d??[2] -> assert(false) :: empty(d) -> skip od; d?x,_ }
init { run R(c); c!1,2 }

//// random_poll: holds 5 5
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; c!1,2; c!3,4; assert(d??[3]);assert(!d??[4]);
end: d??4; skip }

//// random_take: violated channel
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; c!1,2; c!3,4;
end: d??3; skip }

//// rv_any: violated channel
chan c = [0] of { byte, byte };
active proctype P() { chan d = c; d?_ }
active proctype Q() { c!1,2 }

//// rv_both: violated channel
chan c = [0] of { byte, byte };
active proctype P() { chan d = c; d?1 }
active proctype Q() { c!1,2 }

//// rv_choice: violated channel, deadlock
chan c = [0] of { byte, byte };
active proctype P() { chan d = c; byte x; if :: d?1 :: c?1,2 fi }
active proctype Q() { if :: c!1,2 :: c!3,2 fi }
active proctype R() { byte x; c?3,x }

//// rv_more: violated channel
chan c = [0] of { byte, byte }; chan e = [1] of { byte, byte, byte };
active proctype P() { chan d = c; byte x; d?x,_,_ }
active proctype Q() { c!1,2 }

//// rv_not_fitting: holds 1 1
chan c = [0] of { byte, byte };
active proctype P() { chan d = c;
end: d?3 }
active proctype Q() { 
end: c!1,2 }

//// rv_recv_alone: holds 1 1
chan c = [0] of { byte, byte };
active proctype P() { chan d = c; 
end: d?1 }

//// rv_send: violated channel
chan c = [0] of { byte, byte };
active proctype P() { chan d = c;
end: d!1 }

//// send_few: violated channel
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; d!1 }

//// send_few_direct: violated channel
chan c = [2] of { byte, byte };
active proctype P() { c!1; skip; assert(false) }

//// send_few_full: holds 2 2
chan c = [1] of { byte, byte };
active proctype P() { chan d = c; d!1,2;
end: d!1 }

//// send_few_full_if: violated channel
chan c = [1] of { byte, byte };
active proctype P() { chan d = c; d!1,2; if :: d!1 :: d!!1 :: d?1 :: skip fi }

//// send_more_full: holds 2 2
chan c = [1] of { byte, byte }; chan e = [1] of { byte, byte, byte };
active proctype P() { chan d = c; d!1,2;
end: d!!1,2,3 }

//// send_sorted: violated channel
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; d!!1 }

//// take: violated channel
chan c = [1] of { byte, byte };
active proctype P() { chan d = c; c!1,2; d?1; skip }

//// take_direct: violated channel
chan c = [1] of { byte, byte };
active proctype P() { c!1,2; c?1; skip }

//// take_other: holds 2 2
chan c = [1] of { byte, byte };
active proctype P() { chan d = c; c!1,2;
end: d?2; skip }

//// timeout: holds 4 4
chan c = [1] of { byte, byte }; byte g;
active proctype P() { chan d = c;
end: d?_ }
active proctype Q() { timeout -> g = 1 }

//// unless_blocked: holds 7 7
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; byte x; { x = 1; x = 2; c!3,4; x = 3 } unless { d?1 }; skip }

//// unless_poll: holds 7 7
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; byte x; c!3,4; { x = 1; x = 2;  x = 3 } unless { d?[4] }; skip }

//// unless_poll_later: holds 7 7
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; byte x; { x = 1; x = 2; c!3,4; x = 3 } unless { d?[3] }; skip }

//// unless_taken: violated channel
chan c = [2] of { byte, byte };
active proctype P() { chan d = c; byte x; { x = 1; x = 2; c!3,4; x = 3 } unless { d?3 }; skip }

//// valid_end: holds 1 1
chan c = [1] of { byte, byte };
active proctype P() { chan d = c;
end: d?_ }

//// valid_end_direct: holds 1 1
chan c = [1] of { byte, byte };
active proctype P() { 
end: c?_ }

