/** What the console must know before anyone signs in. */
import { version } from '../../../package.json';
import { nowSec } from '../../core/time.ts';
import { isHumanCheckOn } from '../../options/human-check.ts';
import { optionKeys, specOf } from '../../options/registry.ts';
import type { Options } from '../../options/store.ts';
import { oauthFlags } from '../auth/oauth/service.ts';
import { passwordRegistrationOpen, phoneLoginOpen, phoneRegistrationOpen } from '../auth/service.ts';
import type { Deps } from '../deps.ts';
import { isSetUp } from '../setup/service.ts';

const startedAt = nowSec();

/** Fields whose feature this version does not have answer as if it were off, whatever the option says. */
const offFields = {
  enable_online_topup: false,
  enable_drawing: false,
  enable_task: false,
  enable_data_export: false,
  enable_batch_update: false,
  mj_notify_enabled: false,
};

/** The fields that carry an option as it is. */
const optionFields = (options: Options): Record<string, unknown> =>
  Object.fromEntries(
    optionKeys.flatMap((key) => {
      const { status } = specOf(key);
      return status ? [[status, options.get(key)]] : [];
    }),
  );

export async function readStatus(
  deps: Pick<Deps, 'db' | 'options' | 'env' | 'sms'>,
): Promise<Record<string, unknown>> {
  const fields = optionFields(deps.options);
  return {
    ...fields,
    ...offFields,
    ...oauthFlags(deps.options),
    turnstile_check: isHumanCheckOn(deps.options),
    enabled_phone_login: phoneLoginOpen(deps),
    enabled_phone_register: phoneRegistrationOpen(deps),
    WebRegisterEnabled: passwordRegistrationOpen(deps.options),
    version,
    start_time: startedAt,
    server_address: deps.env.SERVER_ADDRESS || fields.server_address,
    setup: await isSetUp(deps),
  };
}
