/** The request of a call that submits a task, as it goes up and is told of. */
import { fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { isWebAddress } from '../../core/web-address.ts';
import type { TaskDialect, TaskSettings } from '../../dialects/plain/task.ts';
import { siteOf } from '../attempt/prepare.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { noticeSecret } from './task-notice.ts';

/** The request as it goes up: what is ours of it does not, and its log row leads to the task. */
export function withTaskId(
  request: RelayRequest,
  { task }: TaskDialect,
  id: string,
  deps: RelayDeps,
): RelayRequest {
  const body: JsonObject = task.sent?.(request.body, settingsOf(request, id, deps)) ?? { ...request.body };
  const ours = Object.keys(body).filter(
    (name) => task.ours.includes(name) || (task.only && !task.only.includes(name)),
  );
  for (const name of ours) delete body[name];
  const { facts } = request;
  const callFactor = task.times?.(body) ?? facts.callFactor;
  return {
    ...request,
    body,
    dropped: [...(request.dropped ?? []), ...ours, ...(task.lost?.(request.body) ?? [])],
    facts: { ...facts, ...(callFactor && { callFactor }), noted: { ...facts.noted, task_id: id } },
  };
}

function settingsOf({ path }: RelayRequest, id: string, deps: RelayDeps): TaskSettings {
  const { options, secrets } = deps;
  const { address } = siteOf(deps);
  const mayNotify = options.get('MjNotifyEnabled') && address !== '';
  return {
    choosesAccount: options.get('MjAccountFilterEnabled'),
    clearsMode: options.get('MjModeClearEnabled'),
    mode: path.mode ?? null,
    notify: mayNotify ? `${address}/mj/notify?task=${id}&secret=${noticeSecret(id, secrets)}` : null,
  };
}

/** Where the caller wants to be told of it, where the operator allows that. */
export function hookOf({ body }: RelayRequest, { task }: TaskDialect, { options }: RelayDeps): string {
  const hook = options.get('MjNotifyEnabled') ? (task.hook?.(body) ?? '') : '';
  if (hook === '' || isWebAddress(hook)) return hook;
  throw fail('invalid_request', {
    field: 'notifyHook',
    params: { reason: { zh: 'notifyHook 应为网址', en: 'notifyHook must be an address of the web' } },
  });
}
