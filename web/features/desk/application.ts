/** Applications as the calls answer them, and their form: its values, its rules, and the body that it sends. */
import { lengthOf } from '@core/account-rules.ts';
import { isWebAddress } from '@core/web-address.ts';
import {
  APPLICATION_DESC_MAX,
  type ApplicationType,
  DISPLAY_NAME_MAX,
  isApplicationName,
  isApplicationVersion,
  readRank,
} from '@modules/application/facts.ts';
import type { DataOf } from '@/lib/calls.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '@/lib/use-form.ts';

export type Application = DataOf<'get', '/api/application/admin'>[number];

export interface ApplicationValues {
  name: string;
  displayName: string;
  version: string;
  dxt: string;
  description: string;
  homepage: string;
  type: ApplicationType;
  /** As typed. */
  rank: string;
  groups: string[];
}

export const valuesOf = (application: Application | null): ApplicationValues => ({
  name: application?.name ?? '',
  displayName: application?.display_name ?? '',
  version: application?.version ?? '',
  dxt: application?.dxt_url ?? '',
  description: application?.description ?? '',
  homepage: application?.homepage ?? '',
  type: application?.type ?? 'conversation-tool',
  rank: String(application?.rank ?? 0),
  groups: application?.app_groups ?? [],
});

export function applicationErrors(values: ApplicationValues, t: TFunction): FieldErrors<ApplicationValues> {
  const [name, displayName, version] = [values.name.trim(), values.displayName.trim(), values.version.trim()];
  const [dxt, homepage] = [values.dxt.trim(), values.homepage.trim()];
  const needed = (text: string, isGood: boolean, missing: string, wrong: string) =>
    text === '' ? missing : isGood ? undefined : wrong;
  const isHomepage = homepage === '' || isWebAddress(homepage);
  return {
    name: needed(name, isApplicationName(name), t('application.nameNeeded'), t('application.nameBad')),
    displayName: needed(
      displayName,
      lengthOf(displayName) <= DISPLAY_NAME_MAX,
      t('application.displayNameNeeded'),
      t('application.displayNameBad'),
    ),
    version: needed(
      version,
      isApplicationVersion(version),
      t('application.versionNeeded'),
      t('application.versionBad'),
    ),
    dxt: needed(dxt, isWebAddress(dxt), t('application.dxtNeeded'), t('application.dxtBad')),
    description:
      lengthOf(values.description.trim()) <= APPLICATION_DESC_MAX
        ? undefined
        : t('application.descriptionBad'),
    homepage: isHomepage ? undefined : t('application.homepageBad'),
  };
}

export const bodyOf = (values: ApplicationValues) => ({
  name: values.name.trim(),
  display_name: values.displayName.trim(),
  version: values.version.trim(),
  description: values.description.trim(),
  homepage: values.homepage.trim(),
  dxt_url: values.dxt.trim(),
  type: values.type,
  rank: readRank(values.rank),
  app_groups: values.groups,
});
