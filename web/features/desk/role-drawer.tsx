import { useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input, Textarea } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useEntryHead } from './entry-drawer.tsx';
import { editedOf, type Role, type RoleValues, roleErrors, roleToSend } from './role.ts';
import { useDeskForm } from './use-desk-form.ts';

export interface RoleDrawerProps {
  /** Null for a new one. */
  role: Role | null;
}

export function RoleDrawer({ role }: RoleDrawerProps) {
  const { t } = useTranslation();
  const head = useEntryHead();
  const api = useApi();
  const [{ syntax, values: initial }] = useState(() => editedOf(role));
  const textOf = (values: RoleValues) => roleToSend(role, values, initial, syntax);
  const { form, saved, close } = useDeskForm<RoleValues>({
    initial,
    validate: (values) => roleErrors(values, syntax, t),
    save: (values) => {
      const body = { role_name: values.name.trim(), role: textOf(values) };
      if (!role) return api.send('POST', '/api/ai-role/admin', { body });
      const { type, quota } = role;
      const params = { id: String(role.id) };
      return api.send('PUT', '/api/ai-role/admin/:id', { params, body: { ...body, type, quota } });
    },
    done: t(role ? 'desk.updated' : 'desk.added'),
  });
  const preview = textOf(form.values);
  return (
    <DrawerForm {...head} form={form} submitLabel={t('app.save')} saved={saved} onClose={close}>
      <Field id={form.id('name')} label={t('role.name')} required error={form.error('name')}>
        <Input {...form.text('name')} autoComplete="off" />
      </Field>
      {syntax === 'json' && <Notice tone="mind">{t('role.jsonHelp')}</Notice>}
      <Field
        id={form.id('role')}
        label={t('role.role')}
        required
        end={<span className="font-mono text-muted uppercase">{syntax}</span>}
        error={form.error('role')}
        help={syntax === 'toml' ? t('role.roleHelp') : undefined}
      >
        <Textarea
          {...form.text('role')}
          // What is wrong with it is said while it is written.
          onChange={(event) => {
            form.set('role', event.target.value);
            form.leave('role');
          }}
          rows={16}
          spellCheck={false}
          className="font-mono text-sm"
        />
      </Field>
      {preview !== '' && (
        <details className="text-sm">
          <summary className="cursor-pointer text-muted">{t('role.preview')}</summary>
          <pre className="mt-2 max-h-80 overflow-auto rounded-sm border border-line bg-sunken p-3 font-mono text-xs break-all whitespace-pre-wrap">
            {preview}
          </pre>
        </details>
      )}
    </DrawerForm>
  );
}
