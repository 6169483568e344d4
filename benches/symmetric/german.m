-- German's cache coherence protocol, as in german.bir.
const
  N: 2;

type
  Client: scalarset(N);
  Copy: enum { None, Shared, Exclusive };
  Message: enum { Nothing, Invalidate, GrantShared, GrantExclusive };

var
  copy: array [Client] of Copy;
  request: array [Client] of Copy;
  message: array [Client] of Message;
  acknowledged: array [Client] of boolean;
  holder: array [Client] of boolean;
  invalid: array [Client] of boolean;
  exclusive: boolean;
  current: Client;
  wanted: Copy;

procedure served();
begin
  undefine current;
  wanted := None;
  for c: Client do invalid[c] := false; end;
end;

startstate
begin
  for c: Client do
    copy[c] := None;
    request[c] := None;
    message[c] := Nothing;
    acknowledged[c] := false;
    holder[c] := false;
  end;
  exclusive := false;
  served();
end;

ruleset c: Client do
  rule "ask for a shared copy" request[c] = None & copy[c] = None ==>
  begin request[c] := Shared; end;

  rule "ask for an exclusive copy" request[c] = None & copy[c] != Exclusive ==>
  begin request[c] := Exclusive; end;

  rule "give up" message[c] = Invalidate & !acknowledged[c] ==>
  begin message[c] := Nothing; acknowledged[c] := true; copy[c] := None; end;

  rule "receive a shared copy" message[c] = GrantShared ==>
  begin message[c] := Nothing; copy[c] := Shared; end;

  rule "receive an exclusive copy" message[c] = GrantExclusive ==>
  begin message[c] := Nothing; copy[c] := Exclusive; end;

  rule "take a request" wanted = None & request[c] != None ==>
  begin
    current := c;
    wanted := request[c];
    request[c] := None;
    for d: Client do invalid[d] := holder[d]; end;
  end;

  rule "make a client give up" (wanted = Exclusive | wanted = Shared & exclusive)
      & invalid[c] & message[c] = Nothing ==>
  begin message[c] := Invalidate; invalid[c] := false; end;

  rule "hear that it has" wanted != None & holder[c] & acknowledged[c] ==>
  begin acknowledged[c] := false; holder[c] := false; exclusive := false; end;
end;

rule "grant a shared copy" wanted = Shared & !exclusive & message[current] = Nothing ==>
begin
  message[current] := GrantShared;
  holder[current] := true;
  served();
end;

rule "grant an exclusive copy" wanted = Exclusive & (forall c: Client do !holder[c] end)
    & message[current] = Nothing ==>
begin
  message[current] := GrantExclusive;
  holder[current] := true;
  exclusive := true;
  served();
end;

invariant "coherent"
  forall a: Client do copy[a] = Exclusive ->
    (forall b: Client do b = a | copy[b] = None end) end;
