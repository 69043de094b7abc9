/** Leaves for the payment provider in this tab. */
import { ApiError } from '@/lib/api-error.ts';
import type { AnswerOf } from '@/lib/calls.ts';

/** A browser that has not left by then stays here. */
const LEAVING_MS = 10_000;

/**
 * Done when the page is left, so that its button stays busy and a second press makes no second order. A page may post
 * only to the gateway that was set when it was loaded: where it has changed since, this throws `changed`.
 */
export function goToProvider(
  { url, method, data }: AnswerOf<'post', '/api/user/pay'>,
  changed: string,
): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const left = new Promise<void>((resolve, reject) => {
    window.addEventListener('pagehide', () => resolve(), { signal });
    setTimeout(resolve, LEAVING_MS);
    document.addEventListener(
      'securitypolicyviolation',
      (violation) => {
        if (!isPageOld(violation, new URL(url).origin)) return;
        reject(new ApiError({ code: 'PAGE_OLD', message: changed, status: 0, requestId: '' }));
      },
      { signal },
    );
  }).finally(() => over.abort());
  if (method === 'GET') {
    window.location.assign(url);
    return left;
  }
  const form = document.createElement('form');
  form.method = 'post';
  form.action = url;
  for (const [name, value] of Object.entries(data)) {
    const field = document.createElement('input');
    field.type = 'hidden';
    field.name = name;
    field.value = value;
    form.append(field);
  }
  document.body.append(form);
  form.submit();
  return left;
}

/** Browsers tell of a gateway that leads on to elsewhere, too: then it is one of those that this page may post to. */
export const isPageOld = (
  {
    effectiveDirective,
    originalPolicy,
  }: Pick<SecurityPolicyViolationEvent, 'effectiveDirective' | 'originalPolicy'>,
  gateway: string,
): boolean =>
  effectiveDirective === 'form-action' &&
  !originalPolicy
    .split(';')
    .some(
      (directive) => directive.trim().startsWith('form-action ') && directive.split(/\s+/).includes(gateway),
    );
