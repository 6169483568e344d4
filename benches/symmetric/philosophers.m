-- Dining philosophers who give way, as in philosophers.bir. The start state lays the ring; in which order
-- makes no difference up to names.
const
  N: 4;

type
  Philosopher: scalarset(N);
  Fork: scalarset(N);
  Location: enum { Think, Reach, Eat, Leave };

var
  location: array [Philosopher] of Location;
  left: array [Philosopher] of Fork;
  right: array [Philosopher] of Fork;
  held: array [Fork] of boolean;

startstate
  var last: Fork;
  var fresh: boolean;
begin
  for f: Fork do held[f] := false; undefine last; end;
  -- Fork by fork: the philosopher between the last fork and this one.
  for f: Fork do
    if !isundefined(last) then
      fresh := true;
      for p: Philosopher do
        if fresh & isundefined(left[p]) then
          left[p] := last;
          right[p] := f;
          fresh := false;
        end;
      end;
    end;
    last := f;
  end;
  -- The philosopher between the last fork and the first.
  for p: Philosopher do
    location[p] := Think;
    if isundefined(left[p]) then
      left[p] := last;
      for f: Fork do
        if !(exists q: Philosopher do !isundefined(right[q]) & right[q] = f end) then right[p] := f; end;
      end;
    end;
  end;
end;

ruleset p: Philosopher do
  rule "think" location[p] = Think & !held[left[p]] ==>
  begin held[left[p]] := true; location[p] := Reach; end;

  rule "reach" location[p] = Reach & !held[right[p]] ==>
  begin held[right[p]] := true; location[p] := Eat; end;

  rule "give way" location[p] = Reach & held[right[p]] ==>
  begin held[left[p]] := false; location[p] := Think; end;

  rule "eat" location[p] = Eat ==>
  begin held[right[p]] := false; location[p] := Leave; end;

  rule "leave" location[p] = Leave ==>
  begin held[left[p]] := false; location[p] := Think; end;
end;
