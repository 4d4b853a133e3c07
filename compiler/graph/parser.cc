#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "compiler/graph/text.h"
#include "kernels/registry.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kMagic = "SYNAPIR1";
constexpr size_t kHeaderBytes = 16;

struct Token {
  enum Kind { kEnd, kWord, kNumber, kString, kTensor, kSymbol } kind = kEnd;
  std::string text;  // without quotes, and without % for tensors
};

bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         absl::StrContains("_./:-", absl::string_view(&c, 1));
}

class Lexer {
 public:
  explicit Lexer(absl::string_view text) : text_(text) {}

  absl::StatusOr<Token> Next() {
    SkipBlanks();
    start_ = at_;
    if (at_ == text_.size()) return Token{};
    const char c = text_[at_];
    if (c == '"') return Quoted(Token::kString);
    if (c == '%') return TensorName();
    if (absl::ascii_isdigit(c) || c == '-' || c == '+') return Run(Token::kNumber);
    if (absl::ascii_isalpha(c) || c == '_') return Run(Token::kWord);
    if (absl::StartsWith(text_.substr(at_), "...")) {
      at_ += 3;
      return Token{Token::kSymbol, "..."};
    }
    ++at_;
    return Token{Token::kSymbol, std::string(1, c)};
  }

  // "line 3, column 7" of the last token.
  std::string Where() const {
    size_t line = 1, column = 1;
    for (size_t i = 0; i < start_; ++i) {
      column = text_[i] == '\n' ? 1 : column + 1;
      line += text_[i] == '\n';
    }
    return absl::StrCat("line ", line, ", column ", column);
  }

 private:
  void SkipBlanks() {
    while (at_ < text_.size()) {
      if (absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      } else if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  Token Run(Token::Kind kind) {
    const size_t begin = at_++;
    const auto part = [&](char c) {
      return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
             (kind == Token::kNumber && (c == '.' || c == '-' || c == '+'));
    };
    while (at_ < text_.size() && part(text_[at_])) ++at_;
    return Token{kind, std::string(text_.substr(begin, at_ - begin))};
  }

  absl::StatusOr<Token> Quoted(Token::Kind kind) {
    const size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) return absl::InvalidArgumentError("a string has no closing quote");
    Token token{kind, ""};
    if (!absl::CUnescape(text_.substr(begin, at_ - begin), &token.text)) {
      return absl::InvalidArgumentError("a string has an unknown escape");
    }
    ++at_;
    return token;
  }

  absl::StatusOr<Token> TensorName() {
    ++at_;
    if (at_ < text_.size() && text_[at_] == '"') return Quoted(Token::kTensor);
    const size_t begin = at_;
    while (at_ < text_.size() && IsNameCharacter(text_[at_])) ++at_;
    // `%x: type`: the colon before a blank belongs to the statement.
    if (at_ > begin && text_[at_ - 1] == ':') --at_;
    return Token{Token::kTensor, std::string(text_.substr(begin, at_ - begin))};
  }

  absl::string_view text_;
  size_t at_ = 0;
  size_t start_ = 0;
};

class Parser {
 public:
  Parser(absl::string_view text, absl::Span<const uint8_t> block, std::shared_ptr<const void> owner)
      : lexer_(text), block_(block), owner_(std::move(owner)) {}

  absl::StatusOr<Graph> Parse() {
    if (absl::Status status = ParseFile(); !status.ok()) {
      return Annotate(status, lexer_.Where());
    }
    RETURN_IF_ERROR(VerifyGraph(graph_));
    return std::move(graph_);
  }

 private:
  absl::Status Advance() {
    ASSIGN_OR_RETURN(token_, lexer_.Next());
    return absl::OkStatus();
  }
  bool At(absl::string_view text) const {
    return token_.text == text && (token_.kind == Token::kSymbol || token_.kind == Token::kWord);
  }
  absl::Status Unexpected(absl::string_view expected) const {
    return absl::InvalidArgumentError(
        absl::StrCat("found '", token_.kind == Token::kEnd ? "end of text" : token_.text,
                     "', expected ", expected));
  }
  absl::Status Expect(absl::string_view text) {
    if (!At(text)) return Unexpected(absl::StrCat("'", text, "'"));
    return Advance();
  }
  // Consumes `text` if it is there.
  absl::StatusOr<bool> Accept(absl::string_view text) {
    if (!At(text)) return false;
    RETURN_IF_ERROR(Advance());
    return true;
  }
  absl::StatusOr<std::string> Take(Token::Kind kind, absl::string_view expected) {
    if (token_.kind != kind) return Unexpected(expected);
    std::string text = token_.text;
    RETURN_IF_ERROR(Advance());
    return text;
  }

  absl::Status ParseFile() {
    RETURN_IF_ERROR(Advance());
    RETURN_IF_ERROR(Expect("graph"));
    ASSIGN_OR_RETURN(graph_.name, Take(Token::kString, "the graph's name"));
    RETURN_IF_ERROR(Expect("layout"));
    RETURN_IF_ERROR(Expect("="));
    ASSIGN_OR_RETURN(graph_.layout, Take(Token::kString, "a layout"));
    if (graph_.layout != "nchw" && graph_.layout != "nhwc") {
      return absl::InvalidArgumentError(
          absl::StrCat("layout '", graph_.layout, "', expected nchw or nhwc"));
    }
    ASSIGN_OR_RETURN(graph_.own_quantizers, Accept("own_quantizers"));
    RETURN_IF_ERROR(Expect("{"));
    while (!At("}")) RETURN_IF_ERROR(ParseStatement());
    RETURN_IF_ERROR(Advance());
    return token_.kind == Token::kEnd ? absl::OkStatus() : Unexpected("end of text");
  }

  absl::Status ParseStatement() {
    if (At("input")) return ParseInput();
    if (At("const")) return ParseConstant();
    if (At("output")) return ParseOutput();
    if (At("anchors")) return ParseAnchors();
    if (At("format")) return ParseFormat();
    if (token_.kind == Token::kTensor) return ParseOp();
    return Unexpected("input, const, output, anchors, format, a tensor or '}'");
  }

  absl::Status ParseInput() {
    RETURN_IF_ERROR(Advance());
    ASSIGN_OR_RETURN(Tensor * tensor, ParseDeclaration());
    graph_.inputs.push_back(tensor);
    return absl::OkStatus();
  }

  absl::Status ParseOutput() {
    RETURN_IF_ERROR(Advance());
    ASSIGN_OR_RETURN(Tensor * tensor, ParseUse());
    graph_.outputs.push_back(tensor);
    return absl::OkStatus();
  }

  absl::StatusOr<Tensor*> ParseUse() {
    ASSIGN_OR_RETURN(const std::string name, Take(Token::kTensor, "a tensor"));
    Tensor* tensor = graph_.FindTensor(name);
    if (tensor == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("tensor %", name, " is not declared"));
    }
    return tensor;
  }

  // `%name: type`
  absl::StatusOr<Tensor*> ParseDeclaration() {
    ASSIGN_OR_RETURN(std::string name, Take(Token::kTensor, "a tensor"));
    RETURN_IF_ERROR(Expect(":"));
    ASSIGN_OR_RETURN(TensorType type, ParseType());
    if (name.empty() || graph_.FindTensor(name) != nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("tensor %", name, " is declared twice"));
    }
    return graph_.AddTensor(std::move(name), std::move(type));
  }

  absl::StatusOr<TensorType> ParseType() {
    TensorType type;
    ASSIGN_OR_RETURN(const std::string word, Take(Token::kWord, "a data type"));
    ASSIGN_OR_RETURN(type.dtype, ParseDataType(word));
    RETURN_IF_ERROR(ParseShape(type.shape));
    RETURN_IF_ERROR(type.shape.Validate());
    ASSIGN_OR_RETURN(const bool quantized, Accept("<"));
    if (quantized) {
      RETURN_IF_ERROR(ParseQuant(type.quant));
      RETURN_IF_ERROR(Expect(">"));
      RETURN_IF_ERROR(type.quant.Validate(type.dtype, type.shape));
    }
    return type;
  }

  // "[1x4x4x2]": the lexer sees 1x4x4x2 as one number.
  absl::Status ParseShape(Shape& shape) {
    RETURN_IF_ERROR(Expect("["));
    std::vector<int64_t> dims;
    if (token_.kind == Token::kNumber) {
      const std::string text = token_.text;
      const char* at = text.data();
      const char* const end = at + text.size();
      while (true) {
        int64_t dim = 0;
        const auto result = std::from_chars(at, end, dim);
        if (result.ec != std::errc()) return Unexpected("a shape");
        dims.push_back(dim);
        at = result.ptr;
        if (at == end) break;
        if (*at++ != 'x') return Unexpected("a shape");
      }
      RETURN_IF_ERROR(Advance());
    }
    shape = Shape(std::move(dims));
    return Expect("]");
  }

  absl::Status ParseQuant(QuantParams& quant) {
    ASSIGN_OR_RETURN(const std::string kind, Take(Token::kWord, "affine, fixed or channel"));
    if (kind == "affine") {
      ASSIGN_OR_RETURN(const float scale, ParseFloat());
      ASSIGN_OR_RETURN(const int64_t zero_point, ParseInteger());
      quant = QuantParams::Affine(scale, static_cast<int32_t>(zero_point));
    } else if (kind == "fixed") {
      ASSIGN_OR_RETURN(const int64_t length, ParseInteger());
      if (length < -126 || length > 126) return Unexpected("a fractional length of -126 to 126");
      quant = QuantParams::FixedPoint(static_cast<int32_t>(length));
    } else if (kind == "channel") {
      ASSIGN_OR_RETURN(const int64_t axis, ParseInteger());
      ASSIGN_OR_RETURN(AttributeValue scales, ParseList());
      if (!std::holds_alternative<std::vector<float>>(scales)) return Unexpected("float scales");
      quant =
          QuantParams::PerChannel(std::get<std::vector<float>>(scales), static_cast<int32_t>(axis));
    } else {
      return absl::InvalidArgumentError(absl::StrCat("unknown quantizer '", kind, "'"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> ParseInteger() {
    int64_t value = 0;
    const char* const end = token_.text.data() + token_.text.size();
    const auto result = std::from_chars(token_.text.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end) return Unexpected("an integer");
    RETURN_IF_ERROR(Advance());
    return value;
  }

  absl::StatusOr<float> ParseFloat() {
    float value = 0;
    const char* const end = token_.text.data() + token_.text.size();
    const auto result = std::from_chars(token_.text.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end) return Unexpected("a number");
    RETURN_IF_ERROR(Advance());
    return value;
  }

  // inf and nan are words to the lexer, everything else is a number.
  bool AtFloat() const { return token_.text.find_first_of(".eEn") != std::string::npos; }

  absl::StatusOr<AttributeValue> ParseValue() {
    if (token_.kind == Token::kString) {
      ASSIGN_OR_RETURN(std::string text, Take(Token::kString, "a string"));
      return AttributeValue(std::move(text));
    }
    if (At("[")) return ParseList();
    if (AtFloat()) {
      ASSIGN_OR_RETURN(const float value, ParseFloat());
      return AttributeValue(value);
    }
    ASSIGN_OR_RETURN(const int64_t value, ParseInteger());
    return AttributeValue(value);
  }

  // A list of floats if any element is written as one; [] is a list of integers.
  absl::StatusOr<AttributeValue> ParseList() {
    RETURN_IF_ERROR(Expect("["));
    std::vector<int64_t> integers;
    std::vector<float> floats;
    while (!At("]")) {
      if (!integers.empty() || !floats.empty()) RETURN_IF_ERROR(Expect(","));
      if (AtFloat() || !floats.empty()) {
        ASSIGN_OR_RETURN(const float value, ParseFloat());
        floats.push_back(value);
      } else {
        ASSIGN_OR_RETURN(const int64_t value, ParseInteger());
        integers.push_back(value);
      }
    }
    RETURN_IF_ERROR(Advance());
    if (!integers.empty() && !floats.empty()) {
      return absl::InvalidArgumentError("list mixes integers and floats");
    }
    if (floats.empty()) return AttributeValue(std::move(integers));
    return AttributeValue(std::move(floats));
  }

  absl::Status ParseConstant() {
    RETURN_IF_ERROR(Advance());
    ASSIGN_OR_RETURN(Tensor * tensor, ParseDeclaration());
    ASSIGN_OR_RETURN(Constant constant, ParseValues(*tensor));
    tensor->constant = std::make_shared<const Constant>(std::move(constant));
    return absl::OkStatus();
  }

  absl::Status ParseAnchors() {
    if (!graph_.anchors.empty())
      return absl::InvalidArgumentError("a second 'anchors' statement, expected one");
    RETURN_IF_ERROR(Advance());
    Tensor list;
    list.name = "anchors";
    ASSIGN_OR_RETURN(list.type, ParseType());
    const Shape& shape = list.type.shape;
    if (list.type.dtype != DataType::kFloat32 || shape.rank() != 2 || shape[1] != 4) {
      return absl::InvalidArgumentError(absl::StrCat("anchors are ", Name(list.type.dtype), "[",
                                                     shape.ToString(), "], expected float32[Nx4]"));
    }
    ASSIGN_OR_RETURN(const Constant values, ParseValues(list));
    graph_.anchors.resize(values.bytes.size() / sizeof(float));
    std::copy(values.bytes.begin(), values.bytes.end(),
              reinterpret_cast<uint8_t*>(graph_.anchors.data()));
    return absl::OkStatus();
  }

  absl::Status ParseFormat() {
    if (!graph_.format.empty())
      return absl::InvalidArgumentError("a second 'format' statement, expected one");
    RETURN_IF_ERROR(Advance());
    ASSIGN_OR_RETURN(graph_.format, Take(Token::kString, "a format string"));
    return absl::OkStatus();
  }

  // `= ...`, as many as `tensor` has elements.
  absl::StatusOr<Constant> ParseValues(const Tensor& tensor) {
    RETURN_IF_ERROR(Expect("="));
    if (At("...")) {
      return absl::InvalidArgumentError(
          absl::StrCat("the values of %", tensor.name,
                       " are elided (...), expected all of them; write the graph with --out"));
    }
    return At("@") ? ParseBlockReference(tensor) : ParseInlineValues(tensor);
  }

  absl::StatusOr<Constant> ParseBlockReference(const Tensor& tensor) {
    RETURN_IF_ERROR(Advance());
    ASSIGN_OR_RETURN(const int64_t offset, ParseInteger());
    const int64_t size = tensor.type.bytes();
    const auto available = static_cast<int64_t>(block_.size());
    if (offset < 0 || offset % static_cast<int64_t>(kBlockAlignment) != 0 || offset > available ||
        size > available - offset) {
      return absl::InvalidArgumentError(absl::StrCat(
          "%", tensor.name, " has ", size, " bytes at offset ", offset,
          ", outside the data block of ", available, " bytes or not a multiple of 64"));
    }
    return Constant{owner_, block_.subspan(static_cast<size_t>(offset), static_cast<size_t>(size))};
  }

  absl::StatusOr<Constant> ParseInlineValues(const Tensor& tensor) {
    const int64_t elements = tensor.type.shape.elements();
    constexpr int64_t kMaxInline = 1 << 24;  // a few bytes of text mustn't ask for any amount
    if (elements > kMaxInline) return Unexpected("at most 16777216 elements in text");
    ASSIGN_OR_RETURN(const bool splat, Accept("splat"));
    std::vector<uint8_t> bytes;
    if (splat) {
      RETURN_IF_ERROR(ParseElement(tensor.type.dtype, bytes));
      const std::vector<uint8_t> one = bytes;
      bytes.reserve(one.size() * static_cast<size_t>(elements));
      for (int64_t i = 1; i < elements; ++i) bytes.insert(bytes.end(), one.begin(), one.end());
      if (elements == 0) bytes.clear();
    } else {
      RETURN_IF_ERROR(Expect("["));
      while (!At("]")) {
        if (!bytes.empty()) RETURN_IF_ERROR(Expect(","));
        RETURN_IF_ERROR(ParseElement(tensor.type.dtype, bytes));
      }
      RETURN_IF_ERROR(Advance());
    }
    if (static_cast<int64_t>(bytes.size()) != tensor.type.bytes()) {
      return absl::InvalidArgumentError(absl::StrCat("%", tensor.name, " has ",
                                                     bytes.size() / SizeOf(tensor.type.dtype),
                                                     " values, expected ", elements));
    }
    return Constant::Own(std::move(bytes));
  }

  absl::Status ParseElement(DataType dtype, std::vector<uint8_t>& bytes) {
    if (dtype == DataType::kFloat32) {
      ASSIGN_OR_RETURN(const float value, ParseFloat());
      const auto* raw = reinterpret_cast<const uint8_t*>(&value);
      bytes.insert(bytes.end(), raw, raw + sizeof(value));
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const int64_t value, ParseInteger());
    const DataType storage = dtype == DataType::kFloat16 ? DataType::kUint16 : dtype;
    if (dtype != DataType::kInt64 &&
        (value < RangeOf(storage).min || value > RangeOf(storage).max)) {
      return absl::InvalidArgumentError(absl::StrCat(value, " does not fit ", Name(dtype)));
    }
    const auto* raw = reinterpret_cast<const uint8_t*>(&value);  // little endian
    bytes.insert(bytes.end(), raw, raw + SizeOf(dtype));
    return absl::OkStatus();
  }

  absl::Status ParseOp() {
    Op op;
    do {
      ASSIGN_OR_RETURN(Tensor * output, ParseDeclaration());
      op.outputs.push_back(output);
    } while (AcceptComma());
    RETURN_IF_ERROR(Expect("="));
    ASSIGN_OR_RETURN(const std::string name, Take(Token::kWord, "an op"));
    op.def = FindOp(name);
    if (op.def == nullptr) {
      std::vector<std::string> known;
      for (const OpDef* def : AllOps()) known.emplace_back(def->name);
      return absl::InvalidArgumentError(
          absl::StrCat("unknown op '", name, "'", DidYouMean(name, known)));
    }
    RETURN_IF_ERROR(ParseOperands(op));
    RETURN_IF_ERROR(ParseAttributes(op));
    RETURN_IF_ERROR(ParseOrigins(op));
    graph_.AddOp(std::move(op));
    return absl::OkStatus();
  }

  // The next Expect reports a lexer error after the comma.
  bool AcceptComma() {
    if (!At(",")) return false;
    return Advance().ok();
  }

  absl::Status ParseOperands(Op& op) {
    RETURN_IF_ERROR(Expect("("));
    while (!At(")")) {
      if (!op.inputs.empty()) RETURN_IF_ERROR(Expect(","));
      if (At("_")) {
        op.inputs.push_back(nullptr);
        RETURN_IF_ERROR(Advance());
      } else {
        ASSIGN_OR_RETURN(Tensor * input, ParseUse());
        op.inputs.push_back(input);
      }
    }
    return Advance();
  }

  absl::Status ParseAttributes(Op& op) {
    ASSIGN_OR_RETURN(const bool present, Accept("{"));
    if (!present) return absl::OkStatus();
    while (!At("}")) {
      if (!op.attributes.empty()) RETURN_IF_ERROR(Expect(","));
      ASSIGN_OR_RETURN(std::string name, Take(Token::kWord, "an attribute"));
      RETURN_IF_ERROR(Expect("="));
      ASSIGN_OR_RETURN(AttributeValue value, ParseValue());
      op.attributes[std::move(name)] = std::move(value);
    }
    return Advance();
  }

  absl::Status ParseOrigins(Op& op) {
    ASSIGN_OR_RETURN(const bool present, Accept("from"));
    if (!present) return absl::OkStatus();
    do {
      ASSIGN_OR_RETURN(std::string origin, Take(Token::kString, "a node's name"));
      op.origins.push_back(std::move(origin));
    } while (AcceptComma());
    return absl::OkStatus();
  }

  Lexer lexer_;
  Token token_;
  absl::Span<const uint8_t> block_;
  std::shared_ptr<const void> owner_;
  Graph graph_;
};

uint64_t ReadLittleEndian(absl::string_view bytes) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; --i)
    value = value << 8 | static_cast<uint8_t>(bytes[static_cast<size_t>(i)]);
  return value;
}

}  // namespace

absl::StatusOr<Graph> ParseGraph(absl::string_view text) {
  return Parser(text, {}, nullptr).Parse();
}

absl::StatusOr<Graph> DeserializeGraph(absl::string_view bytes, std::shared_ptr<const void> owner) {
  if (bytes.size() < kHeaderBytes || !absl::StartsWith(bytes, kMagic)) {
    return absl::InvalidArgumentError("is not a graph file: it does not begin with SYNAPIR1");
  }
  const uint64_t length = ReadLittleEndian(bytes.substr(kMagic.size()));
  if (length > bytes.size() - kHeaderBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("is truncated: the text has ", length, " bytes, the file ", bytes.size()));
  }
  const size_t text_end = kHeaderBytes + static_cast<size_t>(length);
  const size_t block_begin =
      std::min(bytes.size(), (text_end + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment);
  const absl::string_view block = bytes.substr(block_begin);
  const absl::Span<const uint8_t> block_bytes(reinterpret_cast<const uint8_t*>(block.data()),
                                              block.size());
  return Parser(bytes.substr(kHeaderBytes, static_cast<size_t>(length)), block_bytes,
                std::move(owner))
      .Parse();
}

absl::StatusOr<Graph> LoadGraph(const std::string& path) {
  ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::Open(path));
  auto file = std::make_shared<const MappedFile>(std::move(mapped));
  const absl::string_view bytes(reinterpret_cast<const char*>(file->bytes().data()),
                                file->bytes().size());
  const bool is_text = absl::StartsWith(bytes, "graph ") || absl::StartsWith(bytes, "#");
  return Annotate(is_text ? ParseGraph(bytes) : DeserializeGraph(bytes, file), path);
}

}  // namespace synap_internal
