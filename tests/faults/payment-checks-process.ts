/**
 * One round of the payment checks as a server makes it, in which TOLLGATE_KILL_AT kills it: `payment-checks-process.ts
 * TRADE_NO`, on the database that the environment names. Of all orders only this one is due, as if some minutes were over.
 */
import { readEnv } from '../../src/env.ts';
import { startPaymentChecks } from '../../src/modules/payment/checks.ts';
import { openRuntime } from '../../src/runtime.ts';

const [tradeNo = ''] = process.argv.slice(2);
const runtime = await openRuntime(readEnv(), { migrate: false });
await runtime.db.query(
  `update topups set created_at = extract(epoch from now())::bigint - case when trade_no = $1 then 120 else 0 end
   where status in ('pending', 'expired')`,
  [tradeNo],
);
await runtime.db.query('delete from leases');
const checks = startPaymentChecks(runtime);
await checks.round();
await checks.stop();
await runtime.close();
