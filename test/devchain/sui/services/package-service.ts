import { GrpcTypes } from "@mysten/sui/grpc";
import { normalizeSuiAddress } from "@mysten/sui/utils";
import { findFunction, packageExists } from "../move/functions.ts";
import { datatype, type MoveFunction, type MoveType, mutable, type PrimitiveName } from "../move/types.ts";
import { GrpcCode, GrpcStatus, notFound } from "../status.ts";
import { parseAddress } from "../transaction.ts";
import { type Methods, unary } from "./method.ts";

const TX_CONTEXT = mutable(datatype("0x2::tx_context::TxContext"));

const PRIMITIVES: Readonly<Record<PrimitiveName, GrpcTypes.OpenSignatureBody_Type>> = {
  address: GrpcTypes.OpenSignatureBody_Type.ADDRESS,
  bool: GrpcTypes.OpenSignatureBody_Type.BOOL,
  u8: GrpcTypes.OpenSignatureBody_Type.U8,
  u16: GrpcTypes.OpenSignatureBody_Type.U16,
  u32: GrpcTypes.OpenSignatureBody_Type.U32,
  u64: GrpcTypes.OpenSignatureBody_Type.U64,
  u128: GrpcTypes.OpenSignatureBody_Type.U128,
  u256: GrpcTypes.OpenSignatureBody_Type.U256,
};

export function packageService(): Methods {
  return {
    // No package is an object here.
    "MovePackageService/GetPackage": unary(
      GrpcTypes.GetPackageRequest,
      GrpcTypes.GetPackageResponse,
      ({ packageId }) => {
        parseAddress("package_id", packageId);
        throw notFound("");
      },
    ),

    "MovePackageService/GetFunction": unary(
      GrpcTypes.GetFunctionRequest,
      GrpcTypes.GetFunctionResponse,
      ({ packageId, moduleName, name }) => {
        const id = normalizeSuiAddress(parseAddress("package_id", packageId));
        if (!packageExists(id)) throw notFound(`Package ${id} not found`);
        const shape = findFunction(id, moduleName ?? "", name ?? "");
        // Recorded (sui-node 1.62); what a node says of an unknown module is modelled alike.
        if (shape === undefined) throw new GrpcStatus(GrpcCode.INTERNAL, `Function not found: ${name ?? ""}`);
        return { function: functionProto(shape) };
      },
    ),
  };
}

function functionProto(shape: MoveFunction): GrpcTypes.FunctionDescriptor {
  const parameters = shape.takesContext ? [...shape.parameters, TX_CONTEXT] : shape.parameters;
  const { FunctionDescriptor_Visibility: Visibility } = GrpcTypes;
  return GrpcTypes.FunctionDescriptor.create({
    name: shape.name,
    visibility: shape.isPrivate === true ? Visibility.PRIVATE : Visibility.PUBLIC,
    isEntry: shape.isEntry,
    typeParameters: shape.typeParameters.map((constraint) => ({
      constraints: constraint === "any" ? [] : [GrpcTypes.Ability.KEY, GrpcTypes.Ability.STORE],
    })),
    parameters: parameters.map(({ reference, type }) => ({
      ...(reference && { reference: referenceProto(reference) }),
      body: typeProto(type),
    })),
    returns: shape.returns.map((type) => ({ body: typeProto(type) })),
  });
}

function referenceProto(reference: "immutable" | "mutable"): GrpcTypes.OpenSignature_Reference {
  const { OpenSignature_Reference: Reference } = GrpcTypes;
  return reference === "mutable" ? Reference.MUTABLE : Reference.IMMUTABLE;
}

function typeProto(type: MoveType): GrpcTypes.OpenSignatureBody {
  const { OpenSignatureBody_Type: Kind } = GrpcTypes;
  switch (type.kind) {
    case "primitive":
      return { type: PRIMITIVES[type.name], typeParameterInstantiation: [] };
    case "vector":
      return { type: Kind.VECTOR, typeParameterInstantiation: [typeProto(type.element)] };
    case "parameter":
      return { type: Kind.TYPE_PARAMETER, typeParameter: type.index, typeParameterInstantiation: [] };
    case "datatype":
      return {
        type: Kind.DATATYPE,
        typeName: type.name,
        typeParameterInstantiation: type.typeArguments.map(typeProto),
      };
  }
}
