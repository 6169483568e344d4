// What both refuse, and what SPIN accepts and Quotient refuses.

//// received_pid: refused E1310
chan in = [1] of { byte, byte };
init { in!0,0; in?0,_pid }

//// late_list: refused E1309
init { byte x; x = 1; byte a[2] = {1, 2}; a[0] = x }

//// late_channel: refused E1309
init { byte x; x = 1; chan q = [1] of { byte }; q!1 }

//// event_of_too_many_fields: refused E1323
chan c = [1] of { byte, byte };
notrace { c!1,2,3 }
init { c!1,2 }

//// arrow_of_three_tokens: refused E1201
byte x = 1, y = 2;
init { x -- > y }

//// product_with_a_comment: refused E1201
byte x = 1;
init { x = x */* factor */ ; skip }
