/** Reads the addresses of an OpenID provider from its well-known address and puts them into the fields. */
import { FileSearch } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import {
  Dialog,
  DialogActions,
  DialogContent,
  DialogDescription,
  DialogTitle,
} from '@/components/ui/dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { OptionField } from './field.ts';
import type { Settings } from './use-settings.ts';

const WELL_KNOWN = 'oidc.well_known';

interface OidcTestProps {
  fields: readonly OptionField[];
  settings: Settings;
}

export function OidcTest(props: OidcTestProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <FileSearch aria-hidden="true" />
        {t('third.oidcTest')}
      </Button>
      <Dialog open={open} onOpenChange={setOpen}>
        {open && <OidcTestDialog {...props} onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  );
}

function OidcTestDialog({ fields, settings, onClose }: OidcTestProps & { onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const id = useId();
  const known = fields.find(({ key }) => key === WELL_KNOWN);
  const [address, setAddress] = useState(known ? settings.text(known) : '');
  const read = useAction(async (wellKnown: string) => {
    const found = await api.send('POST', '/api/option/oidc_discovery', { body: { well_known: wellKnown } });
    const filled: Record<string, string> = {
      [WELL_KNOWN]: wellKnown,
      'oidc.authorization_endpoint': found.authorization_endpoint,
      'oidc.token_endpoint': found.token_endpoint,
      'oidc.user_info_endpoint': found.userinfo_endpoint,
    };
    for (const field of fields) {
      const text = filled[field.key];
      if (text !== undefined) settings.set(field, text);
    }
    notify({ tone: 'ok', text: t('third.oidcFilled', { issuer: found.issuer }) });
    onClose();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (address.trim() !== '') void read.run(address.trim());
  };
  return (
    <DialogContent>
      <DialogTitle>{t('third.oidcTest')}</DialogTitle>
      <DialogDescription>{t('third.oidcHelp')}</DialogDescription>
      <form noValidate onSubmit={submit} className="mt-4 grid gap-4">
        <Field id={id} label={known?.label ?? WELL_KNOWN}>
          <Input
            id={id}
            type="url"
            inputMode="url"
            spellCheck={false}
            placeholder="https://id.example.com/.well-known/openid-configuration"
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        </Field>
        <div role="alert" className="empty:hidden">
          {read.error !== null && <Notice tone={errorTone(read.error)}>{errorText(read.error, t)}</Notice>}
        </div>
        <DialogActions>
          <Button onClick={onClose}>{t('app.close')}</Button>
          <Button type="submit" variant="primary" busy={read.pending} disabled={address.trim() === ''}>
            {t('third.oidcRead')}
          </Button>
        </DialogActions>
      </form>
    </DialogContent>
  );
}
