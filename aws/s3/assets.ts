import { GetObjectCommand } from "@aws-sdk/client-s3";
import type { Assets } from "../../ports/file-store.ts";
import { s3 } from "../sdk/clients.ts";

/** The files that CDK uploads with an app. */
export const assets = {
  async readAsset(bucket: string, key: string): Promise<Uint8Array> {
    const { Body } = await s3().send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return (await Body?.transformToByteArray()) ?? new Uint8Array();
  },
} satisfies Assets;
