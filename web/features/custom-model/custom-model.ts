/** A user's own keys as the calls answer them, and their form: its values, its rules, and the bodies that it sends. */
import { MODEL_SEPARATOR } from '@modules/supplier/facts.ts';
import type { DataOf } from '@/lib/calls.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '@/lib/use-form.ts';

export type CustomModel = DataOf<'get', '/api/user/custom-models/conf'>[number];
export type OpenSupplier = DataOf<'get', '/api/supplier'>[number];

/** How many of its models a card shows. */
export const SHOWN_MODELS = 10;

/** Under which name the gateway takes a model of a key of one's own. */
export const calledName = ({ supplier }: Pick<CustomModel, 'supplier'>, model: string): string =>
  `${supplier.name}${MODEL_SEPARATOR}${model}`;

export interface CustomModelValues {
  /** Id of a supplier; empty for none. */
  supplier: string;
  key: string;
  models: string[];
}

export const valuesOf = (config: CustomModel | null): CustomModelValues => ({
  supplier: config ? String(config.supplier_id) : '',
  key: '',
  models: config?.models ?? [],
});

/** Without a new one, the key that is kept stays; there is none of a new configuration, and none for a new address. */
export const needsKey = (config: CustomModel | null): boolean => config === null || config.key_needed;

export const customModelErrors = (
  config: CustomModel | null,
  { supplier, key }: CustomModelValues,
  t: TFunction,
): FieldErrors<CustomModelValues> => ({
  supplier: supplier === '' ? t('customModel.supplierNeeded') : undefined,
  key: key.trim() === '' && needsKey(config) ? t('customModel.keyMissing') : undefined,
});
