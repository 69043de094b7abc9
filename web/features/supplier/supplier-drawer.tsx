import { SUPPLIER_SDKS } from '@modules/supplier/facts.ts';
import { useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { SearchSelect } from '@/components/search-select.tsx';
import { Checkbox } from '@/components/ui/checkbox.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { Select } from '@/components/ui/select.tsx';
import { PrivateField } from '@/features/channel/private-field.tsx';
import { useEntryHead } from '@/features/desk/entry-drawer.tsx';
import { useDeskForm } from '@/features/desk/use-desk-form.ts';
import { useApi } from '@/lib/page-context.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import {
  bodyOf,
  type Supplier,
  type SupplierType,
  type SupplierValues,
  supplierErrors,
  valuesOf,
} from './supplier.ts';

export interface SupplierDrawerProps {
  /** Null for a new one. */
  supplier: Supplier | null;
  types: readonly SupplierType[];
}

export function SupplierDrawer({ supplier, types }: SupplierDrawerProps) {
  const { t } = useTranslation();
  const head = useEntryHead();
  const api = useApi();
  const [initial] = useState(() => valuesOf(supplier));
  const { form, saved, close } = useDeskForm<SupplierValues>({
    initial,
    validate: (values) => supplierErrors(values, t),
    save: (values) => {
      const body = bodyOf(values);
      return supplier
        ? api.send('PUT', '/api/supplier/admin/:id', { params: { id: String(supplier.id) }, body })
        : api.send('POST', '/api/supplier/admin', { body });
    },
    done: t(supplier ? 'desk.updated' : 'desk.added'),
  });
  const isMoved = supplier !== null && form.values.baseUrl.trim().replace(/\/+$/, '') !== supplier.base_url;
  return (
    <DrawerForm {...head} form={form} submitLabel={t('app.save')} saved={saved} onClose={close}>
      <SupplierFields form={form} types={types} supplier={supplier} />
      {isMoved && supplier.users > 0 && (
        <Notice tone="warn">{t('supplier.moved', { count: supplier.users })}</Notice>
      )}
    </DrawerForm>
  );
}

interface SupplierFieldsProps extends SupplierDrawerProps {
  form: Form<SupplierValues>;
}

function SupplierFields({ form, types, supplier }: SupplierFieldsProps) {
  const { t } = useTranslation();
  const { values } = form;
  const known = types.map(({ type, label }) => ({ value: String(type), label }));
  const isKnown = known.some(({ value }) => value === values.type);
  return (
    <>
      <Field
        id={form.id('name')}
        label={t('supplier.name')}
        required
        error={form.error('name')}
        help={t('supplier.nameHelp')}
      >
        <Input {...form.text('name')} autoComplete="off" spellCheck={false} />
      </Field>
      <Field id={form.id('type')} label={t('supplier.type')} required>
        <SearchSelect
          id={form.id('type')}
          label={t('supplier.type')}
          value={values.type}
          options={isKnown ? known : [...known, { value: values.type, label: values.type }]}
          onChange={(type) => form.set('type', type)}
        />
      </Field>
      <Field id={form.id('sdk')} label={t('supplier.sdk')} required help={t('supplier.sdkHelp')}>
        <Select
          id={form.id('sdk')}
          value={values.sdk}
          onChange={(event) =>
            form.set('sdk', SUPPLIER_SDKS.find((sdk) => sdk === event.target.value) ?? values.sdk)
          }
        >
          {SUPPLIER_SDKS.map((sdk) => (
            <option key={sdk} value={sdk}>
              {sdk}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        id={form.id('baseUrl')}
        label={t('supplier.baseUrl')}
        required
        error={form.error('baseUrl')}
        help={t('supplier.baseUrlHelp')}
      >
        <Input
          {...form.text('baseUrl')}
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="https://api.example.com/v1"
        />
      </Field>
      {supplier && <PrivateField form={form} isAllowed={supplier.private_allowed} />}
      <label className="flex min-h-7 items-center gap-2 max-md:min-h-11">
        <Checkbox checked={values.disable} onChange={(event) => form.set('disable', event.target.checked)} />
        {t('supplier.disableLabel')}
      </label>
    </>
  );
}
