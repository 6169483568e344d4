-- Peterson's mutual exclusion for N processes, as in peterson.bir.
const
  N: 3;

type
  Process: scalarset(N);
  Level: 0 .. N;
  Location: enum { Idle, Announce, Sign, Look, Critical };

var
  location: array [Process] of Location;
  level: array [Process] of Level; -- which the process knows
  announced: array [Process] of Level;
  last: array [Level] of Process;
  inside: 0 .. N;

function passes(p: Process): boolean;
begin
  return last[level[p]] != p
    | (forall q: Process do q = p | announced[q] < level[p] end);
end;

startstate
begin
  for p: Process do
    location[p] := Idle;
    level[p] := 0;
    announced[p] := 0;
  end;
  for l: Level do undefine last[l]; end;
  inside := 0;
end;

ruleset p: Process do
  rule "idle" location[p] = Idle ==>
  begin level[p] := 1; location[p] := Announce; end;

  rule "announce" location[p] = Announce ==>
  begin announced[p] := level[p]; location[p] := Sign; end;

  rule "sign" location[p] = Sign ==>
  begin last[level[p]] := p; location[p] := Look; end;

  rule "look, climb" location[p] = Look & level[p] < N - 1 & passes(p) ==>
  begin level[p] := level[p] + 1; location[p] := Announce; end;

  rule "look, enter" location[p] = Look & level[p] = N - 1 & passes(p) ==>
  begin level[p] := 0; inside := inside + 1; location[p] := Critical; end;

  rule "critical" location[p] = Critical ==>
  begin announced[p] := 0; inside := inside - 1; location[p] := Idle; end;
end;

invariant "exclusion" inside <= 1;
