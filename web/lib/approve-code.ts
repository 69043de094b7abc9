/**
 * The code of an application that waits for a relay key: remembered from the address of `/approve`, also while its user
 * signs in or registers first. It goes with every call, so that it need stand in no address again.
 */
import { TOKEN_REQUEST_SEC } from '@core/account-rules.ts';

export const APPROVE_PAGE = '/approve';
const KEY = 'approve-code';

interface Kept {
  code: string;
  /** Milliseconds; the request itself is over then. */
  until: number;
}

/** Session storage may be switched off: then it lives as long as the document. */
let held: Kept | null = null;

function read(): Kept | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    const isKept = typeof kept === 'object' && kept !== null && 'code' in kept && 'until' in kept;
    return isKept ? { code: String(kept.code), until: Number(kept.until) } : null;
  } catch {
    return null;
  }
}

function write(kept: Kept | null): void {
  held = kept;
  try {
    if (kept === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {}
}

/** Keeps the code of the page's own address, or of the path to which a sign-in leads. */
export function rememberApproveCode({ pathname, search }: Pick<Location, 'pathname' | 'search'>): void {
  const query = new URLSearchParams(search);
  const next = query.get('next') ?? '';
  const ofNext = next.startsWith(`${APPROVE_PAGE}?`)
    ? new URLSearchParams(next.slice(APPROVE_PAGE.length))
    : null;
  const code = (pathname === APPROVE_PAGE ? query : ofNext)?.get('code');
  if (!code || code === approveCode()) return;
  write({ code, until: Date.now() + TOKEN_REQUEST_SEC * 1000 });
}

/** The code, or null when nothing waits. */
export function approveCode(): string | null {
  const kept = held ?? read();
  return kept !== null && kept.until > Date.now() ? kept.code : null;
}

/** It was decided on, or is over. */
export const forgetApproveCode = (): void => write(null);

/** Where one decides on what waits, or null. The code is remembered, and stands in no address. */
export const approvePath = (): string | null => (approveCode() === null ? null : APPROVE_PAGE);
