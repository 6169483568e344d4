-- Two-phase commit, as in models/two_phase_commit.bir.
const
  N: 3;

type
  Manager: scalarset(N);
  Phase: enum { Working, Prepared, Committed, Aborted };
  Outcome: enum { Open, Commit, Abort };

var
  phase: array [Manager] of Phase;
  outcome: Outcome;
  heard: array [Manager] of boolean;
  prepared: array [Manager] of boolean;
  commit: boolean;
  abort: boolean;

startstate
begin
  for m: Manager do
    phase[m] := Working;
    heard[m] := false;
    prepared[m] := false;
  end;
  outcome := Open;
  commit := false;
  abort := false;
end;

ruleset m: Manager do
  rule "hear" outcome = Open & prepared[m] ==>
  begin heard[m] := true; end;

  rule "prepare" phase[m] = Working ==>
  begin phase[m] := Prepared; prepared[m] := true; end;

  rule "abort alone" phase[m] = Working ==>
  begin phase[m] := Aborted; end;

  rule "receive commit" commit ==>
  begin phase[m] := Committed; end;

  rule "receive abort" abort ==>
  begin phase[m] := Aborted; end;
end;

rule "let all commit" outcome = Open & (forall m: Manager do heard[m] end) ==>
begin outcome := Commit; commit := true; end;

rule "make all abort" outcome = Open ==>
begin outcome := Abort; abort := true; end;

invariant "consistent"
  forall a: Manager do forall b: Manager do !(phase[a] = Committed & phase[b] = Aborted) end end;
