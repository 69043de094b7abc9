/** What the money statements must do, said a second time, plainly and one call at a time. */
interface Account {
  quota: number;
  reserved: number;
  used: number;
  calls: number;
  active: boolean;
  /** Sum of its ledger rows. */
  ledger: number;
  writtenOff: number;
}
interface Token {
  user: number;
  remain: number;
  unlimited: boolean;
  used: number;
  active: boolean;
}
interface Reservation {
  id: string;
  user: number;
  token: number;
  amount: number;
  orphaned: boolean;
}
export interface ReserveStep {
  id: string;
  user: number;
  token: number;
  amount: number;
  extends: boolean;
}

export class MoneyReference {
  readonly users = new Map<number, Account>();
  readonly tokens = new Map<number, Token>();
  readonly open = new Map<string, Reservation>();
  readonly channels = new Map<number, number>();
  /** Of the calls that were settled last, those whose keys had less left than all of them cost. */
  readonly keyShort = new Set<string>();
  logRows = 0;

  addUser(id: number, quota: number): void {
    this.users.set(id, {
      quota,
      reserved: 0,
      used: 0,
      calls: 0,
      active: true,
      ledger: quota,
      writtenOff: 0,
    });
  }

  addToken(id: number, user: number, remain: number | null): void {
    this.tokens.set(id, { user, remain: remain ?? 0, unlimited: remain === null, used: 0, active: true });
  }

  /** Grants in order of arrival. One that does not fit still stands in the way of those behind it in its batch. */
  reserve(batch: readonly ReserveStep[]): Set<string> {
    const existing = new Set(this.open.keys());
    const tokenRoom = new Map([...this.tokens].map(([id, t]) => [id, t.unlimited ? Infinity : t.remain]));
    const userRoom = new Map([...this.users].map(([id, u]) => [id, u.quota]));
    const granted = new Set<string>();
    for (const { id, user, token, amount, extends: extending } of batch) {
      if (!this.token(token).active || !this.user(user).active) continue;
      if (extending && !existing.has(id)) continue;
      tokenRoom.set(token, (tokenRoom.get(token) ?? 0) - amount);
      if ((tokenRoom.get(token) ?? 0) < 0) continue;
      userRoom.set(user, (userRoom.get(user) ?? 0) - amount);
      if ((userRoom.get(user) ?? 0) < 0) continue;
      granted.add(id);
      this.move(user, token, amount);
      const held = this.open.get(id);
      this.open.set(id, { id, user, token, amount: (held?.amount ?? 0) + amount, orphaned: false });
    }
    return granted;
  }

  /** Paid amounts by id. All of a batch is given back before anything beyond a reservation is taken. */
  settle(
    batch: readonly { id: string; charge: number; channel: number; failed: boolean }[],
  ): Map<string, number> {
    const found = batch
      .flatMap((step) => {
        const held = this.open.get(step.id);
        return held ? [{ ...step, held }] : [];
      })
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const { id, held } of found) {
      this.open.delete(id);
      this.move(held.user, held.token, -held.amount);
    }
    const paid = new Map<string, number>();
    const tokenCost = new Map<number, number>();
    // What every reservation covers is safe first; then the overshoots take turns by id.
    for (const { id, charge, held } of found) {
      const covered = Math.min(charge, held.amount);
      this.user(held.user).quota -= covered;
      paid.set(id, covered);
    }
    const wanted = new Map<number, number>();
    const spare = new Map([...this.users].map(([id, account]) => [id, account.quota]));
    for (const { id, charge, held } of found) {
      const over = Math.max(charge - held.amount, 0);
      const before = wanted.get(held.user) ?? 0;
      const take = Math.max(Math.min(over, (spare.get(held.user) ?? 0) - before), 0);
      wanted.set(held.user, before + over);
      this.user(held.user).quota -= take;
      paid.set(id, (paid.get(id) ?? 0) + take);
    }
    for (const { id, charge, channel, failed, held } of found) {
      const amount = paid.get(id) ?? 0;
      const account = this.user(held.user);
      account.used += amount;
      account.ledger -= amount;
      account.writtenOff += charge - amount;
      if (!failed) account.calls++;
      tokenCost.set(held.token, (tokenCost.get(held.token) ?? 0) + amount);
      if (!failed) this.channels.set(channel, (this.channels.get(channel) ?? 0) + amount);
      this.logRows++;
    }
    this.keyShort.clear();
    for (const [id, cost] of tokenCost) {
      const token = this.token(id);
      token.used += cost;
      if (token.unlimited) continue;
      if (token.remain < cost)
        for (const call of found) if (call.held.token === id) this.keyShort.add(call.id);
      token.remain = Math.max(token.remain - cost, 0);
    }
    return paid;
  }

  orphanAll(): void {
    for (const held of this.open.values()) {
      this.move(held.user, held.token, -held.amount);
      held.amount = 0;
      held.orphaned = true;
    }
  }

  release(id: string): void {
    const held = this.open.get(id);
    if (!held) return;
    this.move(held.user, held.token, -held.amount);
    this.open.delete(id);
  }

  adjust(user: number, delta: number): boolean {
    const account = this.user(user);
    if (account.quota + delta < 0) return false;
    account.quota += delta;
    account.ledger += delta;
    return true;
  }

  setTokenQuota(id: number, unlimited: boolean, quota: number): boolean {
    const held = [...this.open.values()].filter((r) => r.token === id).reduce((sum, r) => sum + r.amount, 0);
    if (!unlimited && quota < held) return false;
    Object.assign(this.token(id), { unlimited, remain: unlimited ? quota : quota - held });
    return true;
  }

  user(id: number): Account {
    const account = this.users.get(id);
    if (!account) throw new Error(`no user ${id}`);
    return account;
  }

  token(id: number): Token {
    const token = this.tokens.get(id);
    if (!token) throw new Error(`no token ${id}`);
    return token;
  }

  private move(user: number, token: number, amount: number): void {
    const account = this.user(user);
    account.quota -= amount;
    account.reserved += amount;
    const limit = this.token(token);
    if (!limit.unlimited) limit.remain -= amount;
  }
}
