/** Suppliers as the calls answer them, and their form: its values, its rules, and the body that it sends. */
import { lengthOf } from '@core/account-rules.ts';
import { isWebAddress } from '@core/web-address.ts';
import {
  MODEL_SEPARATOR,
  SUPPLIER_NAME_MAX,
  SUPPLIER_SDKS,
  SUPPLIER_TYPE,
  type SupplierSdk,
} from '@modules/supplier/facts.ts';
import type { StateLook } from '@/components/status.tsx';
import type { DataOf } from '@/lib/calls.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '@/lib/use-form.ts';

export type Supplier = DataOf<'get', '/api/supplier/admin'>[number];
export type SupplierType = DataOf<'get', '/api/supplier/admin/types'>[number];
/** A user's configuration, as administrators see it. */
export type UserConfig = DataOf<'get', '/api/user/custom-models/conf/all'>[number];

export const IN_USE: StateLook = { tone: 'on', label: 'supplier.inUse' };

/** How a configuration is: in use, or why it is not. */
export function configLook({
  supplier,
  key_needed,
  refused_at,
}: Pick<UserConfig, 'key_needed' | 'refused_at'> & { supplier: { disable: boolean } }): StateLook {
  if (supplier.disable) return { tone: 'gone', label: 'customModel.disabled' };
  if (key_needed) return { tone: 'auto', label: 'customModel.keyNeeded' };
  if (refused_at > 0) return { tone: 'bad', label: 'customModel.refused' };
  return IN_USE;
}

/** A balance, which suppliers tell in US dollars; truncated, like every amount. */
export const dollars = (balance: number): string => `$${(Math.trunc(balance * 100) / 100).toFixed(2)}`;

/** Names of a list that came as JSON text. */
export function modelsOf({ models }: Pick<UserConfig, 'models'>): string[] {
  const names: unknown = JSON.parse(models);
  return Array.isArray(names) ? names.map(String) : [];
}

export interface SupplierValues {
  name: string;
  type: string;
  sdk: SupplierSdk;
  baseUrl: string;
  disable: boolean;
  privateAllowed: boolean;
}

export const valuesOf = (supplier: Supplier | null): SupplierValues => ({
  name: supplier?.name ?? '',
  type: String(supplier?.type ?? SUPPLIER_TYPE),
  sdk: SUPPLIER_SDKS.find((sdk) => sdk === supplier?.sdk) ?? SUPPLIER_SDKS[0],
  baseUrl: supplier?.base_url ?? '',
  disable: supplier?.disable ?? false,
  privateAllowed: supplier?.private_allowed ?? false,
});

export function supplierErrors({ name, baseUrl }: SupplierValues, t: TFunction): FieldErrors<SupplierValues> {
  const called = name.trim();
  const isName = called !== '' && lengthOf(called) <= SUPPLIER_NAME_MAX && !called.includes(MODEL_SEPARATOR);
  return {
    name: isName ? undefined : t('supplier.nameBad', { max: SUPPLIER_NAME_MAX }),
    baseUrl: isWebAddress(baseUrl.trim()) ? undefined : t('supplier.baseUrlBad'),
  };
}

export const bodyOf = ({ name, type, sdk, baseUrl, disable, privateAllowed }: SupplierValues) => ({
  name: name.trim(),
  type: Number(type),
  sdk,
  base_url: baseUrl.trim(),
  disable,
  private_allowed: privateAllowed,
});

/** Where one is in one of the two lists is nothing to the other. */
export const noPlace = { p: undefined, size: undefined, sort: undefined };
