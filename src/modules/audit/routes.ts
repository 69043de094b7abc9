/** `/api/audit`: how the last audit of the books came out, for administrators. */
import { Elysia } from 'elysia';
import { hasRole } from '../../core/roles.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import type { AuditResult } from './contract.ts';
import { lastAudit } from './service.ts';

export const auditRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'audit', prefix: '/api/audit' }).use(guard(deps)).get(
    '/',
    async ({ viewer }) => {
      const last = await lastAudit(deps.db);
      // Findings name accounts that not every administrator may read.
      const isRoot = hasRole(viewer.role, 'root');
      return ok<AuditResult | null>(last && { ...last, findings: isRoot ? last.findings : [] });
    },
    { auth: 'admin' },
  );
