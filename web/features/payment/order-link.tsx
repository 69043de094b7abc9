/** Leads from a line of a statement to its order. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Of the account's own orders in the wallet. */
export const ORDERS_ID = 'orders';

/** One's own in the wallet, anybody's else where administrators have them. */
export function OrderLink({ id, isOwn, children }: { id: string; isOwn: boolean; children: ReactNode }) {
  return isOwn ? (
    <Link to="/topup" search={{ order: id }} hash={ORDERS_ID} className="link">
      {children}
    </Link>
  ) : (
    <Link to="/payment" search={{ q: `#${id}`, range: 'all' }} className="link">
      {children}
    </Link>
  );
}
