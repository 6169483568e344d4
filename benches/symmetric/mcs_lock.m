-- The queue lock of Mellor-Crummey and Scott, as in mcs_lock.bir. A process and its node have one name.
const
  N: 3;

type
  Process: scalarset(N);
  Location: enum { Idle, Exchange, Test, Prepare, Link, Wait, Critical, Swap, Successor, Wake };

var
  location: array [Process] of Location;
  before: array [Process] of Process;
  waits: array [Process] of boolean;
  next: array [Process] of Process;
  tail: Process;
  inside: 0 .. N;

startstate
begin
  for p: Process do
    location[p] := Idle;
    undefine before[p];
    waits[p] := false;
    undefine next[p];
  end;
  undefine tail;
  inside := 0;
end;

ruleset p: Process do
  rule "idle" location[p] = Idle ==>
  begin undefine next[p]; location[p] := Exchange; end;

  rule "exchange" location[p] = Exchange ==>
  begin
    if isundefined(tail) then undefine before[p]; else before[p] := tail; end;
    tail := p;
    location[p] := Test;
  end;

  rule "test, free" location[p] = Test & isundefined(before[p]) ==>
  begin inside := inside + 1; location[p] := Critical; end;

  rule "test, held" location[p] = Test & !isundefined(before[p]) ==>
  begin location[p] := Prepare; end;

  rule "prepare" location[p] = Prepare ==>
  begin waits[p] := true; location[p] := Link; end;

  rule "link" location[p] = Link ==>
  begin next[before[p]] := p; location[p] := Wait; end;

  rule "wait" location[p] = Wait & !waits[p] ==>
  begin inside := inside + 1; location[p] := Critical; end;

  rule "critical, no successor" location[p] = Critical & isundefined(next[p]) ==>
  begin inside := inside - 1; location[p] := Swap; end;

  rule "critical, successor" location[p] = Critical & !isundefined(next[p]) ==>
  begin inside := inside - 1; location[p] := Wake; end;

  rule "swap, last" location[p] = Swap & tail = p ==>
  begin undefine tail; location[p] := Idle; end;

  rule "swap, not last" location[p] = Swap & tail != p ==>
  begin location[p] := Successor; end;

  rule "successor" location[p] = Successor & !isundefined(next[p]) ==>
  begin location[p] := Wake; end;

  rule "wake" location[p] = Wake ==>
  begin waits[next[p]] := false; location[p] := Idle; end;
end;

invariant "exclusion" inside <= 1;
