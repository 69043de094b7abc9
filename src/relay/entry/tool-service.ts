/** Which tool service a caller reaches, and how much he may say to it that costs nothing. */
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { own } from '../../core/own.ts';
import { asIs } from '../../core/text.ts';
import { type ToolService, toolModel } from '../../core/tool-services.ts';
import { type Caller, mayUseModel } from '../../modules/token/callers.ts';
import type { RelayDeps } from '../deps.ts';
import { takeOfMinute } from './rate-limit.ts';

/** Throws where there is none of that name, or his token is not for it. */
export function serviceFor(name: string, caller: Caller, { options }: RelayDeps): ToolService {
  const service = own(options.get('ToolServices'), name);
  if (!service) throw fail('tool_service_not_found', { params: { name: asIs(name.slice(0, 64)) } });
  const model = toolModel(name);
  if (!mayUseModel(caller, model)) throw fail('model_not_allowed', { params: { model: asIs(model) } });
  return service;
}

/** What is free is not without end: a service may keep something for each handshake. */
export const takeFreeMessage = (caller: Caller, deps: RelayDeps): Promise<void> =>
  takeOfMinute('tools:free', limits.toolMessagesAMinute, caller, deps);
