/** What the console must know before anyone signs in. */
import { version } from '../../../package.json';
import { nowSec } from '../../core/time.ts';
import type { OptionSpec } from '../../options/define.ts';
import { isHumanCheckOn } from '../../options/human-check.ts';
import { type OptionStatus, optionKeys, specOf } from '../../options/registry.ts';
import type { Options } from '../../options/store.ts';
import { oauthFlags } from '../auth/oauth/service.ts';
import {
  passkeysOpen,
  passwordRegistrationOpen,
  phoneLoginOpen,
  phoneRegistrationOpen,
} from '../auth/service.ts';
import type { Deps } from '../deps.ts';
import { fuelPackQuota } from '../fuel-pack/service.ts';
import { isOnlineTopupOpen } from '../payment/service.ts';
import { isSetUp } from '../setup/service.ts';

const startedAt = nowSec();

/** Fields without an option, of features that this version does not have. */
const offFields = {
  enable_batch_update: false,
};

/** The fields that carry an option: as it is, or as off where no page draws it, because its feature is not built. */
const optionFields = (options: Options): OptionStatus =>
  Object.fromEntries(
    optionKeys.flatMap((key) => {
      const { status, place } = specOf(key);
      return status ? [[status, place ? options.get(key) : offValue(specOf(key))]] : [];
    }),
    // The type is made of the same entries by the same rule.
  ) as OptionStatus;

/** A switch is off, a number is its least, a text or a list is empty. */
function offValue({ kind, min = 0, default: initial }: OptionSpec<unknown>): unknown {
  switch (kind) {
    case 'boolean':
      return false;
    case 'integer':
    case 'decimal':
      return min;
    case 'text':
      return '';
    default:
      return initial;
  }
}

export async function readStatus(
  deps: Pick<Deps, 'db' | 'options' | 'env' | 'sms' | 'mailer' | 'outgoing'>,
  asked: { origin: string },
) {
  const fields = optionFields(deps.options);
  return {
    ...fields,
    ...offFields,
    ...oauthFlags(deps.options),
    fuel_pack_quota: fuelPackQuota(deps.options),
    enable_online_topup: isOnlineTopupOpen(deps),
    turnstile_check: isHumanCheckOn(deps.options),
    enabled_phone_login: phoneLoginOpen(deps),
    enabled_phone_register: phoneRegistrationOpen(deps),
    WebRegisterEnabled: passwordRegistrationOpen(deps.options),
    passkey_login: passkeysOpen(deps, asked),
    mail_enabled: deps.mailer.isSet(),
    version,
    start_time: startedAt,
    server_address: deps.env.SERVER_ADDRESS || fields.server_address,
    setup: await isSetUp(deps),
  };
}
