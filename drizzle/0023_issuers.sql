ALTER TABLE "identities" DROP CONSTRAINT "identities_subject";--> statement-breakpoint
ALTER TABLE "identities" ADD COLUMN "issuer" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_subject" UNIQUE("provider","issuer","subject");--> statement-breakpoint
-- Those that are bound now are of the provider that is set now: by its document, which lies below the issuer's address, or
-- else by where it gives tokens. As `issuers` of the provider's record says it.
UPDATE "identities" SET "issuer" = coalesce(
  (SELECT rtrim(regexp_replace("value", '/\.well-known/openid-configuration/?$', ''), '/') FROM "options"
    WHERE "key" = 'oidc.well_known' AND "value" <> ''),
  (SELECT "value" FROM "options" WHERE "key" = 'oidc.token_endpoint'), '')
WHERE "provider" = 'oidc';
