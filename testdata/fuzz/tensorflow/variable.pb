
C
xPlaceholder*
dtype0*$
shape:ÿÿÿÿÿÿÿÿÿ

v
VariableV2

yMulxv