/** Orders as a reference keeps them: their states, what they add, and the money that was given back, said plainly. */
import { nowSec } from '../../src/core/time.ts';
import type { Account } from './books.ts';

const UNPAID = ['pending', 'expired', 'failed'];
/** Seconds for which an order is open. */
const OPEN_SEC = 1_800;
/** Unpaid orders of an account that are this young, at most. */
const OPEN_MOST = 20;
/** Seconds for which a price is kept beyond that. */
const LATE_SEC = 900;
const DOLLAR = 500_000;

interface Dispute {
  money: number;
  quota: number;
  taken: number;
  writtenOff: number;
  isWon: boolean;
}

export class Order {
  status = 'pending';
  readonly createdAt = nowSec();
  /** Paid late, when the use of its code was gone. */
  lapsed = false;
  /** Paid so late that it cost what it would have cost on that day. */
  isRepriced = false;
  /** The provider has said by which name it will speak of the payment. */
  isNamed = false;
  /** Given back so far, in the smallest unit of the currency, and what that took. */
  refunded = { money: 0, quota: 0 };
  readonly disputes = new Map<string, Dispute>();

  constructor(
    readonly id: number,
    readonly tradeNo: string,
    readonly account: Account,
    public quota: number,
    readonly money: number,
    readonly discount: { code: string; fullMoney: number } | null,
    readonly provider: 'epay' | 'stripe' = 'epay',
  ) {}

  get isUnpaid(): boolean {
    return UNPAID.includes(this.status);
  }

  /** What is taken back now: of refunds, and of disputes that are not won. */
  get reversed(): { money: number; quota: number } {
    const all = [this.refunded, ...[...this.disputes.values()].filter(({ isWon }) => !isWon)];
    return {
      money: all.reduce((sum, { money }) => sum + money, 0),
      quota: all.reduce((sum, { quota }) => sum + quota, 0),
    };
  }

  /** What `money` more takes: no more than is left, and of the quota the same share of all, cut off. */
  #take(money: number): { money: number; quota: number } {
    const before = this.reversed;
    const taking = Math.max(0, Math.min(money, this.money - before.money));
    const share = Math.floor((this.quota * (before.money + taking)) / this.money);
    return { money: taking, quota: Math.max(0, share - before.quota) };
  }

  /** `all`: how much was given back so far, whatever came before. Whether that took anything. */
  refund(all: number): boolean {
    const { money, quota } = this.#take(all - this.refunded.money);
    if (money === 0) return false;
    this.refunded = { money: this.refunded.money + money, quota: this.refunded.quota + quota };
    this.status = 'refunded';
    this.account.takeBack(quota, nowSec());
    return true;
  }

  dispute(name: string, all: number): void {
    const known = this.disputes.get(name);
    if (known?.isWon) return;
    const { money, quota } = this.#take(all - (known?.money ?? 0));
    if (money === 0) return;
    const { taken, writtenOff } = this.account.takeBack(quota, nowSec());
    this.disputes.set(name, {
      money: (known?.money ?? 0) + money,
      quota: (known?.quota ?? 0) + quota,
      taken: (known?.taken ?? 0) + taken,
      writtenOff: (known?.writtenOff ?? 0) + writtenOff,
      isWon: false,
    });
    this.status = 'disputed';
  }

  win(name: string): void {
    const known = this.disputes.get(name);
    if (known?.isWon) return;
    this.disputes.set(name, { money: 0, quota: 0, taken: 0, writtenOff: 0, ...known, isWon: true });
    if (!known) return;
    if (known.taken > 0) this.account.move('reinstated', known.taken, nowSec());
    if (known.writtenOff > 0) this.account.move('writeOff', 0, nowSec());
    if ([...this.disputes.values()].every(({ isWon }) => isWon)) this.status = 'reinstated';
  }
}

export class OrderBook {
  readonly orders: Order[] = [];
  /** What a dollar costs now, in cents. */
  readonly prices = { epay: 730, stripe: 100 };

  constructor(
    /** How often each code may be used. */
    readonly uses: Readonly<Record<string, number>>,
  ) {}

  /** Marks what nobody paid in time, of all orders or of one code's. */
  expire(code?: string): void {
    for (const order of this.orders) {
      const isMeant = code === undefined || order.discount?.code === code;
      if (isMeant && order.status === 'pending' && order.createdAt + OPEN_SEC <= nowSec())
        order.status = 'expired';
    }
  }

  #hasUse(code: string): boolean {
    const used = this.orders.filter(
      ({ discount, lapsed, status }) =>
        discount?.code === code && !lapsed && status !== 'expired' && status !== 'failed',
    );
    return used.length < (this.uses[code] ?? 0);
  }

  /** Whether another order may be made. */
  mayOrder(account: Account, code?: string): boolean {
    const young = this.orders.filter(
      (order) => order.account === account && order.isUnpaid && order.createdAt + OPEN_SEC > nowSec(),
    );
    if (young.length >= OPEN_MOST) return false;
    if (code === undefined) return true;
    this.expire(code);
    return this.#hasUse(code);
  }

  /** Whether it adds its quota now; it does so once. */
  credit(order: Order): boolean {
    if (!order.isUnpaid) return false;
    const { discount, quota, money } = order;
    const isCut = discount !== null && (order.status === 'pending' || this.#hasUse(discount.code));
    const promised = discount && !isCut ? discount.fullMoney : money;
    const ratio = isCut ? 0.5 : 1;
    const now = Math.max(1, Math.round((quota * this.prices[order.provider] * ratio) / DOLLAR));
    const asked = order.createdAt + OPEN_SEC + LATE_SEC < nowSec() ? now : promised;
    if (asked > money) {
      order.lapsed = discount !== null && !isCut;
      order.isRepriced = asked > promised;
      order.quota = Math.max(1, Math.floor((quota * money) / asked));
    }
    order.status = 'success';
    order.account.move('topUp', order.quota, nowSec());
    return true;
  }
}
