/** Leaves for the payment provider in this tab. */
import type { AnswerOf } from '@/lib/calls.ts';

/** A browser that has not left by then stays here. */
const LEAVING_MS = 10_000;

/** Done when the page is left, so that its button stays busy and a second press makes no second order. */
export function goToProvider({ url, method, data }: AnswerOf<'post', '/api/user/pay'>): Promise<void> {
  const left = new Promise<void>((resolve) => {
    window.addEventListener('pagehide', () => resolve(), { once: true });
    setTimeout(resolve, LEAVING_MS);
  });
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
