import { useRef, useState } from 'react';
import { ChipPicker } from '@/components/chip-picker.tsx';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { PasswordInput } from '@/components/password-input.tsx';
import { LinkButton } from '@/components/ui/button.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Select } from '@/components/ui/select.tsx';
import { useEntryHead } from '@/features/desk/entry-drawer.tsx';
import { useDeskForm } from '@/features/desk/use-desk-form.ts';
import { errorText } from '@/lib/error-text.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import {
  type CustomModel,
  type CustomModelValues,
  customModelErrors,
  needsKey,
  type OpenSupplier,
  valuesOf,
} from './custom-model.ts';

interface CustomModelDrawerProps {
  /** Null for a new one. */
  config: CustomModel | null;
  /** Those that may be chosen. */
  suppliers: readonly OpenSupplier[];
  /** All of the user's, whose suppliers may not be chosen again. */
  configs: readonly CustomModel[];
}

export function CustomModelDrawer({ config, suppliers, configs }: CustomModelDrawerProps) {
  const { t } = useTranslation();
  const head = useEntryHead();
  const api = useApi();
  const [initial] = useState(() => valuesOf(config));
  const { form, saved, close } = useDeskForm<CustomModelValues>({
    initial,
    validate: (values) => customModelErrors(config, values, t),
    save: ({ supplier, key, models }) =>
      config
        ? api.send('PUT', '/api/user/custom-models/conf/:id', {
            params: { id: String(config.id) },
            body: { key: key.trim(), models, base_url: config.supplier.base_url },
          })
        : api.send('POST', '/api/user/custom-models/conf', {
            body: {
              supplier_id: Number(supplier),
              key: key.trim(),
              models,
              base_url: supplierOf(suppliers, supplier)?.base_url,
            },
          }),
    done: t(config ? 'desk.updated' : 'desk.added'),
  });
  return (
    <DrawerForm {...head} form={form} submitLabel={t('app.save')} saved={saved} onClose={close}>
      {config ? null : <SupplierField form={form} suppliers={suppliers} configs={configs} />}
      <Field
        id={form.id('key')}
        label="Key"
        required={needsKey(config)}
        error={form.error('key')}
        help={t(config && !config.key_needed ? 'customModel.keyKept' : 'customModel.keyHelp', {
          key: config?.key,
        })}
      >
        <PasswordInput {...form.text('key')} autoComplete="off" spellCheck={false} />
      </Field>
      <ModelsField
        key={form.values.supplier}
        form={form}
        config={config}
        supplier={config?.supplier ?? supplierOf(suppliers, form.values.supplier)}
      />
    </DrawerForm>
  );
}

const supplierOf = (suppliers: readonly OpenSupplier[], chosen: string): OpenSupplier | undefined =>
  suppliers.find(({ id }) => String(id) === chosen);

interface SupplierFieldProps extends Pick<CustomModelDrawerProps, 'suppliers' | 'configs'> {
  form: Form<CustomModelValues>;
}

function SupplierField({ form, suppliers, configs }: SupplierFieldProps) {
  const { t } = useTranslation();
  const has = (id: number) => configs.some(({ supplier_id }) => supplier_id === id);
  return (
    <Field id={form.id('supplier')} label={t('customModel.supplier')} required error={form.error('supplier')}>
      <Select
        {...form.text('supplier')}
        onChange={(event) => {
          form.set('supplier', event.target.value);
          form.set('models', []);
        }}
      >
        <option value="">{t('customModel.chooseSupplier')}</option>
        {suppliers.map(({ id, name }) => (
          <option key={id} value={id} disabled={has(id)}>
            {has(id) ? t('customModel.configured', { name }) : name}
          </option>
        ))}
      </Select>
    </Field>
  );
}

interface ModelsFieldProps {
  form: Form<CustomModelValues>;
  config: CustomModel | null;
  supplier: { base_url: string; type: number } | undefined;
}

/** Typed, pasted, or chosen among those that the supplier lists. */
function ModelsField({ form, config, supplier }: ModelsFieldProps) {
  const { t } = useTranslation();
  const api = useApi();
  const [known, setKnown] = useState<readonly string[]>([]);
  const [said, setSaid] = useState('');
  const { models, key } = form.values;
  // The supplier may take its time to answer: what was chosen meanwhile stays.
  const present = useRef(models);
  present.current = models;
  const loading = useAction(async () => {
    setSaid('');
    form.leave('supplier');
    form.leave('key');
    if (!supplier || (key.trim() === '' && needsKey(config))) return;
    const { base_url, type } = supplier;
    const names = await api.send('POST', '/api/user/custom-models/models', {
      body: { base_url, type, key: key.trim() },
    });
    setKnown(names);
    setSaid(t('customModel.loaded', { count: names.length }));
  });
  const id = form.id('models');
  return (
    <Field
      id={id}
      label={t('supplier.models')}
      error={form.error('models')}
      help={t('customModel.modelsHelp')}
    >
      <ChipPicker
        id={id}
        label={t('supplier.models')}
        value={models}
        options={known}
        allowNew
        placeholder={t('customModel.modelsHint')}
        onChange={(next) => form.set('models', next)}
        onBlur={() => form.leave('models')}
        aria-describedby={`${id}-help ${id}-said`}
      />
      <div className="flex flex-wrap gap-x-3.5 gap-y-1 text-xs max-md:gap-x-5 max-md:gap-y-0 max-md:leading-11">
        <LinkButton onClick={() => void loading.run()}>
          {t(loading.pending ? 'customModel.loading' : 'customModel.load')}
        </LinkButton>
        {known.length > 0 && (
          <LinkButton onClick={() => form.set('models', [...new Set([...present.current, ...known])])}>
            {t('customModel.selectAll')}
          </LinkButton>
        )}
        {models.length > 0 && (
          <LinkButton onClick={() => form.set('models', [])}>{t('customModel.clear')}</LinkButton>
        )}
      </div>
      <p id={`${id}-said`} role="status" className="text-xs text-muted empty:hidden">
        {loading.error === null ? (
          said
        ) : (
          <span className="text-bad">{errorText(loading.error, t, t('customModel.loadFailed'))}</span>
        )}
      </p>
    </Field>
  );
}
