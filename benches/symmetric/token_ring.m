-- A ring of N stations and T tokens, as in token_ring.bir.
const
  N: 5;
  T: 2;

type
  Station: scalarset(N);
  Location: enum { Rest, Ask, Work };

var
  location: array [Station] of Location;
  token: array [Station] of boolean;
  next: array [Station] of Station;
  working: 0 .. N;

startstate
  var first: Station;
  var last: Station;
  var made: 0 .. N;
begin
  made := 0;
  undefine last;
  for s: Station do
    location[s] := Rest;
    if isundefined(last) then first := s; else next[last] := s; end;
    token[s] := made < T;
    last := s;
    made := made + 1;
  end;
  next[last] := first;
  working := 0;
end;

ruleset s: Station do
  rule "rest, work" location[s] = Rest & token[s] ==>
  begin working := working + 1; location[s] := Work; end;

  rule "rest, pass" location[s] = Rest & token[s] & !token[next[s]] ==>
  begin token[s] := false; token[next[s]] := true; end;

  rule "rest, ask" location[s] = Rest ==>
  begin location[s] := Ask; end;

  rule "ask" location[s] = Ask & token[s] ==>
  begin working := working + 1; location[s] := Work; end;

  rule "work" location[s] = Work & !token[next[s]] ==>
  begin
    working := working - 1;
    token[s] := false;
    token[next[s]] := true;
    location[s] := Rest;
  end;
end;

invariant "one for each token" working <= T;
