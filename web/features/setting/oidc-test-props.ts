import type { OptionField } from './field.ts';
import type { Settings } from './use-settings.ts';

export interface OidcTestProps {
  fields: readonly OptionField[];
  settings: Settings;
}
