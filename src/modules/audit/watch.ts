/**
 * Proves the books every hour, whichever process does it: who takes the lease of an hour audits that hour. What does not
 * hold is told to root; how it came out is kept for the console and the metrics of all processes.
 */
import { auditInTurns, type Finding } from '../../billing/audit.ts';
import { limits } from '../../core/limits.ts';
import type { Text } from '../../core/text.ts';
import { HOUR_SEC, nowSec } from '../../core/time.ts';
import { dropLease, holdLease } from '../../db/lease.ts';
import { type Rounds, startRounds } from '../../jobs/rounds.ts';
import type { Deps } from '../deps.ts';
import type { AuditResult } from './contract.ts';
import { keepAudit, lastAudit } from './service.ts';

type WatchDeps = Pick<Deps, 'db' | 'alerts' | 'log' | 'metrics'>;

/** Of an hour, which no audit takes: there are never two at once. */
const LEASE = 'audit';
/** Findings that a letter lists. */
const TOLD = 5;

/** Makes the audit that is due, and answers how many were made: one, or none. */
export function startAuditWatch(deps: WatchDeps, pauseMs: number = limits.auditPauseMs): Rounds {
  const { db, log, metrics } = deps;
  let last: AuditResult | null = null;
  metrics.gauge(
    'tollgate_audit_findings',
    'Sums that did not hold in the last audit; -1 before the first.',
    () => last?.found ?? -1,
    'max',
  );
  metrics.gauge(
    'tollgate_audit_unfinished',
    'Checks of the last audit that took too long.',
    () => last?.unfinished.length ?? 0,
    'max',
  );
  metrics.gauge(
    'tollgate_audit_timestamp_seconds',
    'When the last audit ended; 0 before the first.',
    () => last?.checked_at ?? 0,
    'max',
  );
  return startRounds({
    everyMs: limits.auditLookMs,
    async make(signal) {
      const made = await makeRound(deps, pauseMs, signal);
      last = await lastAudit(db);
      return made;
    },
    onFault: (error) => log.warn('audit', { error }),
  });
}

async function makeRound(deps: WatchDeps, pauseMs: number, signal: AbortSignal): Promise<number> {
  const { db, log } = deps;
  // Another owner each time: whoever did it this hour need not do it again either.
  const owner = crypto.randomUUID();
  if (!(await holdLease(db, LEASE, owner, HOUR_SEC))) return 0;
  try {
    const result = await auditNow(deps, pauseMs, signal);
    await keepAudit(db, result);
    const { findings, ...told } = result;
    if (isWell(result)) log.info('audit', told);
    else log.error('audit.failed', { ...told, findings: findings.map(findingText) });
    tell(deps, result);
    return 1;
  } catch (error) {
    // What was cut short, by a stop or a fault, is due at once.
    await dropLease(db, LEASE, owner).catch(() => undefined);
    throw error;
  }
}

const isWell = ({ found, unfinished }: AuditResult): boolean => found === 0 && unfinished.length === 0;

async function auditNow({ db }: WatchDeps, pauseMs: number, signal: AbortSignal): Promise<AuditResult> {
  const began = performance.now();
  const turns = { ms: limits.auditStatementMs, pauseMs, signal };
  const { checks, findings, unfinished } = await auditInTurns(db, turns);
  return {
    checked_at: nowSec(),
    seconds: Math.round((performance.now() - began) / 1000),
    checks,
    unfinished,
    found: findings.length,
    findings: findings.slice(0, limits.auditFindingsKept),
  };
}

const findingText = ({ check, id, expected, found }: Finding): string =>
  `${check}: ${id} has ${found}, expected ${expected}`;

function tell({ alerts }: WatchDeps, { found, findings, unfinished }: AuditResult): void {
  const list = (lines: readonly string[]): Text => {
    const text = lines.slice(0, TOLD).join('\n');
    return { zh: text, en: text };
  };
  if (found > 0) {
    const title = {
      zh: `账目核对未通过：${found} 处不符`,
      en: `The books do not balance: ${found} ${found === 1 ? 'sum does' : 'sums do'} not hold`,
    };
    alerts.send({
      type: 'audit_failed',
      subject: 'findings',
      title,
      content: list(findings.map(findingText)),
    });
  }
  if (unfinished.length > 0) {
    const title = { zh: '账目核对未能完成', en: 'The audit of the books did not end in time' };
    alerts.send({ type: 'audit_failed', subject: 'unfinished', title, content: list(unfinished) });
  }
}
